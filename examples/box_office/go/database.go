package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/feature/dsql/auth"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	lifetime = 55 * time.Minute // DSQL cuts a session at 60 minutes, and a transaction may take 5
	attempts = 10
	conflict = "40001"
)

// Where the database is, PGHOST and its relatives say, which pgx reads by itself: on a cluster its endpoint, PGUSER,
// PGDATABASE and PGSSLMODE=verify-full; under "forebay standin --for" nothing need be set.
func openDatabase(ctx context.Context) (*pgxpool.Pool, error) {
	settings, err := pgxpool.ParseConfig("")
	if err != nil {
		return nil, err
	}
	settings.MaxConnLifetime = lifetime
	settings.MaxConnLifetimeJitter = lifetime / 10 // what was opened together does not end together
	if os.Getenv("PGPASSWORD") == "" {
		identity, err := config.LoadDefaultConfig(ctx)
		if err != nil {
			return nil, err
		}
		// A token is for one connect: it is signed in no time, without a network, and soon too old.
		settings.BeforeConnect = func(ctx context.Context, connection *pgx.ConnConfig) error {
			sign := auth.GenerateDbConnectAuthToken
			if connection.User == "admin" {
				sign = auth.GenerateDBConnectAdminAuthToken
			}
			connection.Password, err = sign(ctx, connection.Host, identity.Region, identity.Credentials)
			return err
		}
	}
	return pgxpool.NewWithConfig(ctx, settings)
}

// A conflict, or a session that was cut: the server had nothing to say then. A connect that failed is neither.
func isWorthAnotherTry(err error) bool {
	var told *pgconn.PgError
	var unconnected *pgconn.ConnectError
	switch {
	case err == nil || errors.Is(err, errSoldOut) || errors.Is(err, errNoSuchShow) || errors.As(err, &unconnected):
		return false
	case errors.As(err, &told):
		return told.Code == conflict
	default:
		return true
	}
}

// Runs work in a transaction, perhaps several times, and perhaps again after a COMMIT of which nobody knows the
// outcome: it must change nothing but the database, and find out what it did before.
func transaction(ctx context.Context, pool *pgxpool.Pool, work func(pgx.Tx) error) error {
	for attempt := 1; ; attempt++ {
		err := pgx.BeginFunc(ctx, pool, work)
		if attempt == attempts || !isWorthAnotherTry(err) {
			return err
		}
		pause := time.Duration(rand.Int64N(int64(5*time.Millisecond) << attempt))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}
