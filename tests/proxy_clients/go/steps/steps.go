// Package steps is what the clients in Go share: where they connect, checks, and how they are run.
package steps

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"
)

const (
	Clients  = 8
	Rounds   = 20
	Megabyte = 1 << 20
)

var (
	Mode = os.Getenv("PROXY_MODE")
	// What must be refused where session state cannot follow a client.
	SessionState = []string{
		"LISTEN refused_channel", "CREATE TEMPORARY TABLE refused_table (id int)", "SELECT pg_advisory_lock(4711)",
	}
)

type Step struct {
	Name string
	Run  func() error
}

// Address is that of the server or proxy; the words are more of a connection string.
func Address(words string) string {
	return fmt.Sprintf("postgres://%s@%s:%s/%s?sslmode=disable&%s", os.Getenv("PGUSER"), os.Getenv("PGHOST"),
		os.Getenv("PGPORT"), os.Getenv("PGDATABASE"), words)
}

func Equal(actual, expected any, what string) error {
	if got, wanted := fmt.Sprint(actual), fmt.Sprint(expected); got != wanted {
		return fmt.Errorf("%s: %.300s, not %.300s", what, got, wanted)
	}
	return nil
}

// FirstError of several things that were done anyway.
func FirstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Together calls work with 0, 1, 2 ... at once.
func Together(count int, work func(number int) error) error {
	errs := make([]error, count)
	var group sync.WaitGroup
	for number := range count {
		group.Go(func() { errs[number] = work(number) })
	}
	group.Wait()
	for number, err := range errs {
		if err != nil {
			return fmt.Errorf("client %d: %w", number, err)
		}
	}
	return nil
}

// Servers counts those that clients have seen in transactions, which must not be more than a proxy may use.
type Servers struct {
	lock sync.Mutex
	seen map[int]bool
}

func (servers *Servers) Saw(process int) {
	servers.lock.Lock()
	defer servers.lock.Unlock()
	if servers.seen == nil {
		servers.seen = map[int]bool{}
	}
	servers.seen[process] = true
}

func (servers *Servers) Check() error {
	limit, err := strconv.Atoi(os.Getenv("PROXY_SERVERS"))
	if err == nil && (Mode == "transaction" || Mode == "refuse") && len(servers.seen) > limit {
		return fmt.Errorf("%d servers for a proxy that may use %d", len(servers.seen), limit)
	}
	return nil
}

// Main ends the process, with 1 if a step fails. Each is tried, whatever became of those before it.
func Main(all, refused []Step) {
	chosen := all
	if Mode == "refuse" {
		chosen = refused
	}
	code := 0
	for _, step := range chosen {
		began := time.Now()
		fmt.Printf("  %s", step.Name)
		if err := step.Run(); err != nil {
			fmt.Printf(" failed after %.2f s: %v\n", time.Since(began).Seconds(), err)
			code = 1
		} else {
			fmt.Printf(": %.2f s\n", time.Since(began).Seconds())
		}
	}
	os.Exit(code)
}
