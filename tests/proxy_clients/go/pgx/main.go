// pgx: each of its ways to run a query, batches, pipelines, COPY, cancels, notifications; and those of pgx 4, which
// counts its prepared statements: equal names with other texts.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"forebay/tests/proxy_clients/steps"

	pgconn4 "github.com/jackc/pgconn"
	pgx4 "github.com/jackc/pgx/v4"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

var ctx = context.Background()

var modes = []string{"cache_statement", "cache_describe", "describe_exec", "exec", "simple_protocol"}

func failsWith(state string, err error) error {
	var told *pgconn.PgError
	var told4 *pgconn4.PgError
	if (errors.As(err, &told) && told.Code == state) || (errors.As(err, &told4) && told4.Code == state) {
		return nil
	}
	return fmt.Errorf("%s expected: %v", state, err)
}

func with(words string, work func(connection *pgx.Conn) error) error {
	connection, err := pgx.Connect(ctx, steps.Address(words))
	if err != nil {
		return err
	}
	return steps.FirstError(work(connection), connection.Close(ctx))
}

func inMode(mode string, work func(connection *pgx.Conn) error) error {
	if err := with("default_query_exec_mode="+mode, work); err != nil {
		return fmt.Errorf("%s: %w", mode, err)
	}
	return nil
}

func one(connection *pgx.Conn, expected any, text string, values ...any) error {
	var got any
	if err := connection.QueryRow(ctx, text, values...).Scan(&got); err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	return steps.Equal(got, expected, text)
}

func tables() error {
	return with("", func(connection *pgx.Conn) error {
		text := "DROP TABLE IF EXISTS pgx_rows; CREATE TABLE pgx_rows (id int PRIMARY KEY, name text)"
		_, err := connection.PgConn().Exec(ctx, text).ReadAll()
		return err
	})
}

func queryModes() error {
	var servers steps.Servers
	err := steps.Together(steps.Clients, func(number int) error {
		return inMode(modes[number%len(modes)], func(connection *pgx.Conn) error {
			text := fmt.Sprintf("SELECT $1::int + %d, pg_backend_pid()", number)
			for turn := range steps.Rounds {
				var total, server int
				if err := connection.QueryRow(ctx, text, turn).Scan(&total, &server); err != nil {
					return err
				}
				servers.Saw(server)
				word := fmt.Sprintf("SELECT $1::text || ' of %d'", number)
				if err := steps.FirstError(steps.Equal(total, turn+number, text),
					one(connection, fmt.Sprintf("row of %d", number), word, "row")); err != nil {
					return err
				}
			}
			return nil
		})
	})
	return steps.FirstError(err, servers.Check())
}

func equalNames() error {
	return steps.Together(steps.Clients, func(number int) error {
		return with("", func(connection *pgx.Conn) error {
			if _, err := connection.Prepare(ctx, "same", fmt.Sprintf("SELECT $1::int * %d", number)); err != nil {
				return err
			}
			for turn := range steps.Rounds {
				if err := one(connection, turn*number, "same", turn); err != nil {
					return err
				}
			}
			if err := connection.Deallocate(ctx, "same"); err != nil {
				return err
			}
			_, err := connection.PgConn().ExecPrepared(ctx, "same", [][]byte{[]byte("1")}, nil, nil).Close()
			return failsWith("26000", err)
		})
	})
}

func pgx4Statements() error {
	return steps.Together(steps.Clients, func(number int) error {
		config, err := pgx4.ParseConfig(steps.Address([]string{"", "statement_cache_mode=describe", ""}[number%3]))
		if err != nil {
			return err
		}
		config.PreferSimpleProtocol = number%3 == 2
		connection, err := pgx4.ConnectConfig(ctx, config)
		if err != nil {
			return err
		}
		defer connection.Close(ctx)
		for turn := range steps.Rounds {
			for index := range 3 {
				var got int
				text := fmt.Sprintf("SELECT $1::int + %d", number*10+index)
				if err := connection.QueryRow(ctx, text, turn).Scan(&got); err != nil {
					return err
				}
				if err := steps.Equal(got, turn+number*10+index, text); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func transactions() error {
	return steps.Together(steps.Clients, func(number int) error {
		return inMode(modes[number%len(modes)], func(connection *pgx.Conn) error {
			for turn := range steps.Rounds {
				if err := transaction(connection, number*1000+turn, turn%2 == 0); err != nil {
					return err
				}
			}
			return one(connection, steps.Rounds/2, "SELECT count(*) FROM pgx_rows WHERE id / 1000 = $1", number)
		})
	})
}

func transaction(connection *pgx.Conn, key int, commits bool) error {
	change, err := connection.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	if err != nil {
		return err
	}
	defer change.Rollback(ctx)
	if _, err := change.Exec(ctx, "INSERT INTO pgx_rows VALUES ($1, 'row')", key); err != nil {
		return err
	}
	inner, err := change.Begin(ctx) // a savepoint
	if err != nil {
		return err
	}
	_, twice := inner.Exec(ctx, "INSERT INTO pgx_rows VALUES ($1, 'again')", key)
	_, after := inner.Exec(ctx, "SELECT 1")
	if err := steps.FirstError(failsWith("23505", twice), failsWith("25P02", after), inner.Rollback(ctx)); err != nil {
		return err
	}
	if commits {
		return change.Commit(ctx)
	}
	return change.Rollback(ctx)
}

func batches() error {
	return steps.Together(steps.Clients, func(number int) error {
		return inMode(modes[number%len(modes)], func(connection *pgx.Conn) error {
			for range 5 {
				batch := &pgx.Batch{}
				for index := range 50 {
					batch.Queue(fmt.Sprintf("SELECT $1::int + %d", index%7), number)
				}
				results := connection.SendBatch(ctx, batch)
				for index := range 50 {
					var got int
					if err := results.QueryRow().Scan(&got); err != nil {
						return err
					}
					if err := steps.Equal(got, number+index%7, "an answer of a batch"); err != nil {
						return err
					}
				}
				if err := results.Close(); err != nil {
					return err
				}
			}
			batch := &pgx.Batch{}
			batch.Queue("SELECT 1")
			batch.Queue("SELECT 1 / $1::int", 0)
			batch.Queue("SELECT 2")
			return steps.FirstError(failsWith("22012", connection.SendBatch(ctx, batch).Close()),
				one(connection, 1, "SELECT 1"))
		})
	})
}

func pipelines() error {
	return with("", func(connection *pgx.Conn) error {
		pipeline := connection.PgConn().StartPipeline(ctx)
		for index := range 10 {
			pipeline.SendQueryParams("SELECT $1::text", [][]byte{[]byte(fmt.Sprint(index))}, nil, nil, nil)
			if index%5 == 4 {
				if err := pipeline.Sync(); err != nil {
					return err
				}
			}
		}
		got := []string{}
		for len(got) < 10 {
			results, err := pipeline.GetResults()
			if err != nil {
				return err
			}
			if reader, ok := results.(*pgconn.ResultReader); ok {
				for reader.NextRow() {
					got = append(got, string(reader.Values()[0]))
				}
				if _, err := reader.Close(); err != nil {
					return err
				}
			}
		}
		return steps.FirstError(pipeline.Close(), steps.Equal(got, "[0 1 2 3 4 5 6 7 8 9]", "answers"))
	})
}

func copies() error {
	return steps.Together(4, func(number int) error {
		return with("", func(connection *pgx.Conn) error {
			rows := pgx.CopyFromSlice(1000, func(index int) ([]any, error) {
				return []any{100_000 + number*1000 + index, "copied"}, nil
			})
			count, err := connection.CopyFrom(ctx, pgx.Identifier{"pgx_rows"}, []string{"id", "name"}, rows)
			if err := steps.FirstError(err, steps.Equal(count, 1000, "copied rows")); err != nil {
				return err
			}
			var out bytes.Buffer
			text := fmt.Sprintf("COPY (SELECT id FROM pgx_rows WHERE id / 1000 = %d) TO STDOUT", 100+number)
			if _, err := connection.PgConn().CopyTo(ctx, &out, text); err != nil {
				return err
			}
			_, err = connection.PgConn().CopyFrom(ctx, bytes.NewBufferString("no number\n"), "COPY pgx_rows FROM STDIN")
			return steps.FirstError(failsWith("22P02", err), one(connection, 1, "SELECT 1"),
				steps.Equal(bytes.Count(out.Bytes(), []byte("\n")), 1000, "lines"))
		})
	})
}

func largeRows() error {
	return steps.Together(len(modes), func(number int) error {
		return inMode(modes[number], func(connection *pgx.Conn) error {
			body := bytes.Repeat([]byte{byte(number)}, steps.Megabyte)
			var got []byte
			if err := connection.QueryRow(ctx, "SELECT $1::bytea", body).Scan(&got); err != nil {
				return err
			}
			return steps.Equal(bytes.Equal(got, body), true, "a large row comes back")
		})
	})
}

// pgx closes a connection whose context has ended, after it has sent a cancel. A cancel by itself keeps it.
func cancels() error {
	return with("", func(connection *pgx.Conn) error {
		go func() {
			time.Sleep(300 * time.Millisecond)
			connection.PgConn().CancelRequest(ctx)
		}()
		_, err := connection.Exec(ctx, "SELECT pg_sleep(30)")
		if err := steps.FirstError(failsWith("57014", err), one(connection, 1, "SELECT 1")); err != nil {
			return err
		}
		limited, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
		_, err = connection.Exec(limited, "SELECT pg_sleep(30)")
		return steps.Equal(errors.Is(err, context.DeadlineExceeded), true, fmt.Sprint(err))
	})
}

func notifications() error {
	return with("", func(listener *pgx.Conn) error {
		if _, err := listener.Exec(ctx, "LISTEN pgx_channel"); err != nil {
			return err
		}
		if err := with("", func(connection *pgx.Conn) error {
			_, err := connection.Exec(ctx, "SELECT pg_notify('pgx_channel', $1)", "hello")
			return err
		}); err != nil {
			return err
		}
		limited, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		heard, err := listener.WaitForNotification(limited)
		if err != nil {
			return err
		}
		return steps.Equal(heard.Payload, "hello", "notification")
	})
}

func refusals() error {
	for _, mode := range modes {
		if err := inMode(mode, func(connection *pgx.Conn) error {
			for _, statement := range steps.SessionState {
				_, err := connection.Exec(ctx, statement)
				if err := steps.FirstError(failsWith("0A000", err), one(connection, 1, "SELECT 1")); err != nil {
					return fmt.Errorf("%s: %w", statement, err)
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	steps.Main([]steps.Step{
		{Name: "tables", Run: tables}, {Name: "queryModes", Run: queryModes}, {Name: "equalNames", Run: equalNames},
		{Name: "pgx4Statements", Run: pgx4Statements}, {Name: "transactions", Run: transactions},
		{Name: "batches", Run: batches}, {Name: "pipelines", Run: pipelines}, {Name: "copies", Run: copies},
		{Name: "largeRows", Run: largeRows}, {Name: "cancels", Run: cancels}, {Name: "notifications", Run: notifications},
	}, []steps.Step{{Name: "refusals", Run: refusals}, {Name: "queryModes", Run: queryModes}})
}
