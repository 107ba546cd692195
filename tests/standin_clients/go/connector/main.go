// The Aurora DSQL connector for pgx, told nothing but an endpoint and a user: eight queries at once, transactions that
// the connector runs again after conflicts, and another role.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/awslabs/aurora-dsql-connectors/go/pgx/dsql"
	"github.com/awslabs/aurora-dsql-connectors/go/pgx/occretry"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"forebay/tests/standin_clients/check"
)

const transactions = 20

var (
	ctx      = context.Background()
	endpoint = os.Getenv("CLUSTER_ENDPOINT")
	patient  = occretry.Config{MaxRetries: 50, InitialWait: 4 * time.Microsecond, MaxWait: time.Millisecond, Multiplier: 2}
)

func read[T any](pool *pgxpool.Pool, statement string, values ...any) (value T) {
	check.No(pool.QueryRow(ctx, statement, values...).Scan(&value))
	return value
}

func atOnce(pool *pgxpool.Pool) {
	var all sync.WaitGroup
	for number := range 8 {
		all.Go(func() {
			check.That(read[int](pool, "SELECT $1::int", number) == number, "another number than %d", number)
		})
	}
	all.Wait()
	name := read[string](pool, "SHOW application_name")
	check.That(strings.HasPrefix(name, "aurora-dsql-go-pgx/"), "application_name is %s", name)
}

func conflicts(pool *pgxpool.Pool) {
	check.No(occretry.ExecWithRetry(ctx, pool, patient, "CREATE TABLE go_rows (id int PRIMARY KEY)"))
	_, err := pool.Exec(ctx, "SELECT standin.conflicts(0.5)")
	check.No(err)
	attempts := 0
	for number := range transactions {
		check.No(occretry.WithRetry(ctx, pool, patient, func(tx pgx.Tx) error {
			attempts++
			_, err := tx.Exec(ctx, "INSERT INTO go_rows VALUES ($1)", number)
			return err
		}))
	}
	_, err = pool.Exec(ctx, "SELECT standin.calm()")
	check.No(err)
	check.That(attempts > transactions, "%d attempts", attempts)
	rows := read[int](pool, "SELECT count(*) FROM go_rows")
	check.That(rows == transactions, "%d rows", rows)
}

func main() {
	pool, err := dsql.NewPool(ctx, dsql.Config{Host: endpoint})
	check.No(err)
	defer pool.Close()
	atOnce(pool)
	conflicts(pool)
	_, err = pool.Exec(ctx, "CREATE ROLE go_role WITH LOGIN")
	check.No(err)
	other, err := dsql.Connect(ctx, fmt.Sprintf("dsql://go_role@%s/postgres", endpoint))
	check.No(err)
	var user string
	check.No(other.QueryRow(ctx, "SELECT current_user").Scan(&user))
	check.That(user == "go_role", "connected as %s", user)
	check.No(other.Close(ctx))
	fmt.Println("the connector for pgx", dsql.Version+": all as expected")
}
