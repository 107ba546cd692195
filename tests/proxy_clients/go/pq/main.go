// lib/pq below database/sql: unnamed and named statements, transactions, COPY, cancels, listeners.
package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"forebay/tests/proxy_clients/steps"

	"github.com/lib/pq"
)

var ctx = context.Background()

func failsWith(state string, err error) error {
	var told *pq.Error
	if !errors.As(err, &told) || string(told.Code) != state {
		return fmt.Errorf("%s expected: %v", state, err)
	}
	return nil
}

// with gives work a connection that nobody else uses.
func with(words string, work func(connection *sql.Conn) error) error {
	database, err := sql.Open("postgres", steps.Address(words))
	if err != nil {
		return err
	}
	defer database.Close()
	connection, err := database.Conn(ctx)
	if err != nil {
		return err
	}
	defer connection.Close()
	return work(connection)
}

func execute(connection *sql.Conn, statements ...string) error {
	for _, statement := range statements {
		if _, err := connection.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

func one(connection *sql.Conn, expected any, text string, values ...any) error {
	var got string
	if err := connection.QueryRowContext(ctx, text, values...).Scan(&got); err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	return steps.Equal(got, expected, text)
}

func tables() error {
	return with("", func(connection *sql.Conn) error {
		return execute(connection, "DROP TABLE IF EXISTS pq_rows", "CREATE TABLE pq_rows (id int PRIMARY KEY, name text)")
	})
}

// Each connection numbers its statements by itself.
func preparedStatements() error {
	var servers steps.Servers
	err := steps.Together(steps.Clients, func(number int) error {
		words := fmt.Sprintf("application_name=client%d&binary_parameters=%s", number, []string{"no", "yes"}[number%2])
		return with(words, func(connection *sql.Conn) error {
			text := fmt.Sprintf("SELECT $1::int + %d, pg_backend_pid()", number)
			statement, err := connection.PrepareContext(ctx, text)
			if err != nil {
				return err
			}
			defer statement.Close()
			for turn := range steps.Rounds {
				var total, server int
				if err := statement.QueryRowContext(ctx, turn).Scan(&total, &server); err != nil {
					return err
				}
				servers.Saw(server)
				if err := steps.FirstError(steps.Equal(total, turn+number, text),
					one(connection, turn*number, fmt.Sprintf("SELECT $1::int * %d", number), turn),
					one(connection, fmt.Sprintf("client%d", number), "SHOW application_name")); err != nil {
					return err
				}
			}
			return nil
		})
	})
	return steps.FirstError(err, servers.Check())
}

func transactions() error {
	return steps.Together(steps.Clients, func(number int) error {
		return with("", func(connection *sql.Conn) error {
			for turn := range steps.Rounds {
				if err := transaction(connection, number*1000+turn, turn%2 == 0); err != nil {
					return err
				}
			}
			return one(connection, steps.Rounds/2, "SELECT count(*) FROM pq_rows WHERE id / 1000 = $1", number)
		})
	})
}

func transaction(connection *sql.Conn, key int, commits bool) error {
	change, err := connection.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return err
	}
	defer change.Rollback()
	insert := "INSERT INTO pq_rows VALUES ($1, $2)"
	if _, err := change.Exec(insert, key, "row"); err != nil {
		return err
	}
	if _, err := change.Exec("SAVEPOINT here"); err != nil {
		return err
	}
	_, twice := change.Exec(insert, key, "again")
	_, after := change.Exec("SELECT 1")
	_, back := change.Exec("ROLLBACK TO here")
	if err := steps.FirstError(failsWith("23505", twice), failsWith("25P02", after), back); err != nil {
		return err
	}
	if commits {
		return change.Commit()
	}
	return change.Rollback()
}

func copies() error {
	return with("", func(connection *sql.Conn) error {
		if err := execute(connection, "TRUNCATE pq_rows"); err != nil {
			return err
		}
		change, err := connection.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer change.Rollback()
		statement, err := change.Prepare(pq.CopyIn("pq_rows", "id", "name"))
		if err != nil {
			return err
		}
		for i := range 2000 {
			if _, err := statement.Exec(i, strings.Repeat("x", 100)); err != nil {
				return err
			}
		}
		if _, err := statement.Exec(); err != nil {
			return err
		}
		if err := steps.FirstError(statement.Close(), change.Commit()); err != nil {
			return err
		}
		return one(connection, 2000, "SELECT count(*) FROM pq_rows")
	})
}

func largeRows() error {
	return steps.Together(4, func(number int) error {
		return with("", func(connection *sql.Conn) error {
			body := bytes.Repeat([]byte{byte(number)}, steps.Megabyte)
			var got []byte
			if err := connection.QueryRowContext(ctx, "SELECT $1::bytea", body).Scan(&got); err != nil {
				return err
			}
			return steps.Equal(bytes.Equal(got, body), true, "a large row comes back")
		})
	})
}

// lib/pq sends a cancel when a context ends, and gives its connection up.
func cancels() error {
	return steps.Together(2, func(number int) error {
		return with("", func(connection *sql.Conn) error {
			limited, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
			defer cancel()
			_, err := connection.ExecContext(limited, "SELECT pg_sleep(30)")
			return failsWith("57014", err)
		})
	})
}

func listeners() error {
	listener := pq.NewListener(steps.Address(""), time.Second, time.Second, nil)
	defer listener.Close()
	if err := listener.Listen("pq_channel"); err != nil {
		return err
	}
	return with("", func(connection *sql.Conn) error {
		if err := execute(connection, "NOTIFY pq_channel, 'hello'"); err != nil {
			return err
		}
		select {
		case heard := <-listener.Notify:
			return steps.Equal(heard.Extra, "hello", "notification")
		case <-time.After(10 * time.Second):
			return errors.New("no notification")
		}
	})
}

func sessionState() error {
	return with("", func(connection *sql.Conn) error {
		if err := execute(connection, "CREATE TEMPORARY TABLE pq_temporary AS SELECT 42 AS n"); err != nil {
			return err
		}
		return steps.FirstError(one(connection, 42, "SELECT n FROM pq_temporary"),
			one(connection, 42, "SELECT n FROM pq_temporary WHERE n > $1", 1))
	})
}

// Unknown words of a connection string become parameters of the start.
func startParameters() error {
	return steps.FirstError(
		with("statement_timeout=200&search_path=pg_catalog", func(connection *sql.Conn) error {
			_, err := connection.ExecContext(ctx, "SELECT pg_sleep(20)")
			return steps.FirstError(failsWith("57014", err), one(connection, "pg_catalog", "SHOW search_path"))
		}),
		with("", func(connection *sql.Conn) error { return one(connection, 0, "SHOW statement_timeout") }))
}

func refusals() error {
	return with("", func(connection *sql.Conn) error {
		for _, statement := range steps.SessionState {
			_, err := connection.ExecContext(ctx, statement)
			if err := steps.FirstError(failsWith("0A000", err), one(connection, 1, "SELECT $1::int", 1)); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return nil
	})
}

func main() {
	steps.Main([]steps.Step{
		{Name: "tables", Run: tables}, {Name: "preparedStatements", Run: preparedStatements},
		{Name: "transactions", Run: transactions}, {Name: "copies", Run: copies}, {Name: "largeRows", Run: largeRows},
		{Name: "cancels", Run: cancels}, {Name: "listeners", Run: listeners}, {Name: "sessionState", Run: sessionState},
		{Name: "startParameters", Run: startParameters},
	}, []steps.Step{{Name: "refusals", Run: refusals}, {Name: "preparedStatements", Run: preparedStatements}})
}
