package main

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

var (
	errSoldOut    = errors.New("sold out")
	errNoSuchShow = errors.New("no such show")
)

// The box office: shows have seats, and no seat is sold twice.
type boxOffice struct {
	pool *pgxpool.Pool
}

// Each statement by itself, as DSQL wants its DDL.
func (office boxOffice) prepare(ctx context.Context, schema string) error {
	var lines []string
	for line := range strings.Lines(schema) {
		if !strings.HasPrefix(line, "--") {
			lines = append(lines, line)
		}
	}
	for statement := range strings.SplitSeq(strings.TrimSpace(strings.Join(lines, "")), ";") {
		if statement == "" {
			continue
		}
		err := transaction(ctx, office.pool, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, statement)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (office boxOffice) openShow(ctx context.Context, name string, seats int) (uuid.UUID, error) {
	show := uuid.New()
	err := transaction(ctx, office.pool, func(tx pgx.Tx) error {
		insert := "INSERT INTO show (id, name, seats_left) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING"
		_, err := tx.Exec(ctx, insert, show, name, seats)
		return err
	})
	return show, err
}

func (office boxOffice) seatsLeft(ctx context.Context, show uuid.UUID) (left int, err error) {
	err = transaction(ctx, office.pool, func(tx pgx.Tx) error {
		left, err = readSeats(ctx, tx, show)
		return err
	})
	return left, err
}

// How many are left then. The sale is the caller's own id: a sale that is asked for twice is made once.
func (office boxOffice) sell(ctx context.Context, show, sale uuid.UUID, seats int) (left int, err error) {
	err = transaction(ctx, office.pool, func(tx pgx.Tx) error {
		left, err = sellOnce(ctx, tx, show, sale, seats)
		return err
	})
	return left, err
}

func sellOnce(ctx context.Context, tx pgx.Tx, show, sale uuid.UUID, seats int) (int, error) {
	left, err := readSeats(ctx, tx, show)
	if err != nil {
		return 0, err
	}
	var isSold bool
	if err := tx.QueryRow(ctx, "SELECT count(*) > 0 FROM sale WHERE id = $1", sale).Scan(&isSold); err != nil {
		return 0, err
	}
	if isSold {
		return left, nil
	}
	if left < seats {
		return 0, errSoldOut
	}
	// Whoever else has read the same number meets a conflict, here or at COMMIT.
	if _, err := tx.Exec(ctx, "UPDATE show SET seats_left = $1 WHERE id = $2", left-seats, show); err != nil {
		return 0, err
	}
	_, err = tx.Exec(ctx, "INSERT INTO sale (id, show_id, seats) VALUES ($1, $2, $3)", sale, show, seats)
	return left - seats, err
}

func readSeats(ctx context.Context, tx pgx.Tx, show uuid.UUID) (left int, err error) {
	err = tx.QueryRow(ctx, "SELECT seats_left FROM show WHERE id = $1", show).Scan(&left)
	if errors.Is(err, pgx.ErrNoRows) {
		err = errNoSuchShow
	}
	return left, err
}
