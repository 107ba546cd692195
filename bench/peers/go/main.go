// pgxpool as its documentation shows it: statements are prepared and cached by default, a batch is one
// transaction by itself. bench/peers/run calls it; cpp/main.cpp says with what, and what it prints.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sort"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	one    = "SELECT 1"
	row    = "SELECT name FROM account WHERE id = $1"
	change = "UPDATE account SET name = $2 WHERE id = $1"
	ids    = 300 // of each caller: no two touch the same rows
)

var background = context.Background()

func require(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type caller struct {
	first, last int
	cycles      []float64 // milliseconds
}

func (c *caller) nextID() int {
	c.last = c.last%ids + 1
	return c.first + c.last
}

func transaction(pool *pgxpool.Pool, c *caller) error {
	tx, err := pool.Begin(background)
	if err != nil {
		return err
	}
	defer tx.Rollback(background)
	var name string
	if err := tx.QueryRow(background, row, c.nextID()).Scan(&name); err != nil {
		return err
	}
	for i := 0; i < 2; i++ {
		if _, err := tx.Exec(background, change, c.nextID(), "name"); err != nil {
			return err
		}
	}
	return tx.Commit(background)
}

func batch(pool *pgxpool.Pool, c *caller) error {
	var name string
	statements := &pgx.Batch{}
	statements.Queue(row, c.nextID()).QueryRow(func(r pgx.Row) error { return r.Scan(&name) })
	statements.Queue(change, c.nextID(), "name")
	statements.Queue(change, c.nextID(), "name")
	return pool.SendBatch(background, statements).Close()
}

func workOnce(pool *pgxpool.Pool, work string, c *caller) error {
	switch work {
	case "select1":
		var value int
		return pool.QueryRow(background, one).Scan(&value)
	case "row":
		var name string
		return pool.QueryRow(background, row, c.nextID()).Scan(&name)
	case "transaction":
		return transaction(pool, c)
	case "batch":
		return batch(pool, c)
	}
	return fmt.Errorf("no such work: %s", work)
}

func processor() float64 {
	var use syscall.Rusage
	require(syscall.Getrusage(syscall.RUSAGE_SELF, &use))
	return float64(use.Utime.Nano()+use.Stime.Nano()) / 1e3
}

func duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

func main() {
	socket := flag.String("socket", "", "")
	port := flag.Int("port", 0, "")
	work := flag.String("work", "", "")
	count := flag.Int("callers", 8, "")
	connections := flag.Int("connections", 8, "")
	seconds := flag.Float64("seconds", 3, "")
	warmUp := flag.Float64("warm-up", 1, "")
	flag.Parse()

	target := fmt.Sprintf("host=%s port=%d user=peer dbname=postgres sslmode=disable", *socket, *port)
	config, err := pgxpool.ParseConfig(target)
	require(err)
	config.MaxConns, config.MinConns = int32(*connections), int32(*connections)
	pool, err := pgxpool.NewWithConfig(background, config)
	require(err)
	require(pool.Ping(background))

	start := time.Now().Add(duration(*warmUp))
	end := start.Add(duration(*seconds))
	callers := make([]caller, *count)
	var all sync.WaitGroup
	for i := range callers {
		callers[i].first = i * ids
		all.Add(1)
		go func(c *caller) {
			defer all.Done()
			for begun := time.Now(); begun.Before(end); begun = time.Now() {
				require(workOnce(pool, *work, c))
				if now := time.Now(); !begun.Before(start) && !now.After(end) {
					c.cycles = append(c.cycles, now.Sub(begun).Seconds()*1e3)
				}
			}
		}(&callers[i])
	}
	time.Sleep(time.Until(start))
	before := processor()
	time.Sleep(time.Until(end))
	used := processor() - before
	all.Wait()
	report(callers, *seconds, used)
}

func report(callers []caller, seconds, used float64) {
	var cycles []float64
	least, most := len(callers[0].cycles), 0
	for _, c := range callers {
		cycles = append(cycles, c.cycles...)
		least, most = min(least, len(c.cycles)), max(most, len(c.cycles))
	}
	sort.Float64s(cycles)
	quantile := func(part float64) float64 { return cycles[int(float64(len(cycles)-1)*part)] }
	fmt.Printf("{\"queries\": %d, \"seconds\": %.3f, \"processor_us\": %.2f, \"p50_ms\": %.4f, "+
		"\"p999_ms\": %.4f, \"fairness\": %.4f}\n", len(cycles), seconds, used/float64(len(cycles)),
		quantile(0.5), quantile(0.999), float64(least)/float64(most))
}
