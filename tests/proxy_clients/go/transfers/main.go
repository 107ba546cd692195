// transfers: workers with pgx that move amounts between accounts through proxies that may be killed.
//
// Usage: transfers PORTS SECONDS WORKERS ACCOUNTS. The last line says in JSON how it went. A transfer that met a
// conflict, or lost its connection, is done again until it succeeds; the journal tells whether a COMMIT without an
// answer was one. Any other error is a failure.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	pause    = 100 * time.Millisecond // between two transfers of a worker
	limit    = time.Minute            // for one, with all that is lost on its way
	conflict = "40001"
)

var ctx = context.Background()

type transfer struct {
	key                    string
	source, target, amount int
	isUncertain            bool // its COMMIT had no answer
}

type worker struct {
	number, accounts             int
	address                      string
	connection                   *pgx.Conn
	transfers, conflicts, broken int
	failure                      error
}

func sqlstate(err error) string {
	var told *pgconn.PgError
	if errors.As(err, &told) {
		return told.Code
	}
	return ""
}

func (worker *worker) run(end time.Time) {
	for time.Now().Before(end) && worker.failure == nil {
		source := rand.IntN(worker.accounts)
		next := &transfer{
			key: fmt.Sprintf("%d/%d", worker.number, worker.transfers), source: source,
			target: (source + 1 + rand.IntN(worker.accounts-1)) % worker.accounts, amount: 1 + rand.IntN(100),
		}
		worker.failure = worker.complete(next)
		time.Sleep(pause)
	}
}

func (worker *worker) complete(next *transfer) error {
	for began := time.Now(); time.Since(began) < limit; time.Sleep(rand.N(50 * time.Millisecond)) {
		if worker.connection == nil {
			connection, err := pgx.Connect(ctx, worker.address)
			if state := sqlstate(err); state != "" {
				return fmt.Errorf("connect: %w", err)
			} else if err != nil {
				continue // nobody is there
			}
			worker.connection = connection
		}
		err := worker.attempt(next)
		switch {
		case err == nil:
			worker.transfers++
			return nil
		case sqlstate(err) == conflict:
			worker.conflicts++
		case worker.connection.IsClosed():
			worker.broken++
			worker.connection = nil
		default:
			return err
		}
	}
	return fmt.Errorf("a transfer is not done after %v", limit)
}

// Begin and Rollback are pgx's own; a transaction that has failed to commit needs no more.
func (worker *worker) attempt(next *transfer) error {
	if next.isUncertain {
		var count int
		text := "SELECT count(*) FROM journal WHERE id = $1"
		if err := worker.connection.QueryRow(ctx, text, next.key).Scan(&count); err != nil || count == 1 {
			return err
		}
		next.isUncertain = false
	}
	change, err := worker.connection.Begin(ctx)
	if err != nil {
		return err
	}
	defer change.Rollback(ctx)
	steps := []struct {
		text   string
		values []any
	}{
		{"UPDATE accounts SET balance = balance - $1 WHERE id = $2", []any{next.amount, next.source}},
		{"UPDATE accounts SET balance = balance + $1 WHERE id = $2", []any{next.amount, next.target}},
		{"INSERT INTO journal VALUES ($1, $2, $3, $4)", []any{next.key, next.source, next.target, next.amount}},
	}
	for _, step := range steps {
		if _, err := change.Exec(ctx, step.text, step.values...); err != nil {
			return err
		}
	}
	err = change.Commit(ctx)
	next.isUncertain = err != nil && sqlstate(err) != conflict
	return err
}

func number(text string) int {
	value, err := strconv.Atoi(text)
	if err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	return value
}

func main() {
	ports := strings.Split(os.Args[1], ",")
	seconds, count, accounts := number(os.Args[2]), number(os.Args[3]), number(os.Args[4])
	end := time.Now().Add(time.Duration(seconds) * time.Second)
	workers := make([]*worker, count)
	var group sync.WaitGroup
	for index := range workers {
		address := fmt.Sprintf("postgres://app@127.0.0.1:%s/postgres?sslmode=disable&connect_timeout=20",
			ports[index%len(ports)])
		workers[index] = &worker{number: index, accounts: accounts, address: address}
		group.Go(func() { workers[index].run(end) })
	}
	group.Wait()
	tell(workers)
}

func tell(workers []*worker) {
	sums := struct {
		Transfers int      `json:"transfers"`
		Conflicts int      `json:"conflicts"`
		Broken    int      `json:"broken"`
		Failures  []string `json:"failures"`
	}{Failures: []string{}}
	for _, each := range workers {
		sums.Transfers += each.transfers
		sums.Conflicts += each.conflicts
		sums.Broken += each.broken
		if each.failure != nil {
			sums.Failures = append(sums.Failures, each.failure.Error())
		}
	}
	line, _ := json.Marshal(sums)
	fmt.Println(string(line))
}
