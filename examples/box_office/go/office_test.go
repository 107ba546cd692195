// The service on a stand-in of Aurora DSQL:  forebay standin --for go test ./...
//
// Half of this could not be tested on a PostgreSQL: it has no conflicts to give, and its sessions do not end.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// An office, and a session of the admin that was there before anything goes wrong on purpose.
type world struct {
	*testing.T
	office boxOffice
	admin  *pgxpool.Conn
}

func newWorld(t *testing.T) world {
	ctx := t.Context()
	schema, err := os.ReadFile("../schema.sql")
	must(t, err)
	office := boxOffice{openPool(t)}
	must(t, office.prepare(ctx, string(schema)))
	admin, err := openPool(t).Acquire(ctx)
	must(t, err)
	t.Cleanup(func() {
		_, _ = admin.Exec(context.Background(), "SELECT standin.calm()") // it may be cut
		admin.Release()
	})
	return world{t, office, admin}
}

func openPool(t *testing.T) *pgxpool.Pool {
	pool, err := openDatabase(t.Context())
	must(t, err)
	t.Cleanup(pool.Close)
	return pool
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w world) trouble(what string) error {
	_, err := w.admin.Exec(w.Context(), "SELECT standin."+what)
	return err
}

func (w world) show(seats int) uuid.UUID {
	show, err := w.office.openShow(w.Context(), "Faust", seats)
	must(w.T, err)
	return show
}

func (w world) sells(show, sale uuid.UUID, seats, left int) {
	w.Helper()
	got, err := w.office.sell(w.Context(), show, sale, seats)
	if err != nil || got != left {
		w.Fatalf("%d seats left, %v; %d were expected", got, err, left)
	}
}

func (w world) sold(show uuid.UUID, sales, seats int) {
	w.Helper()
	var gotSales, gotSeats int
	must(w.T, transaction(w.Context(), w.office.pool, func(tx pgx.Tx) error {
		query := "SELECT count(*), coalesce(sum(seats), 0) FROM sale WHERE show_id = $1"
		return tx.QueryRow(w.Context(), query, show).Scan(&gotSales, &gotSeats)
	}))
	if gotSales != sales || gotSeats != seats {
		w.Fatalf("%d sales of %d seats; %d of %d were expected", gotSales, gotSeats, sales, seats)
	}
}

func TestSeatsAreSoldUntilThereAreNone(t *testing.T) {
	w := newWorld(t)
	show := w.show(5)
	w.sells(show, uuid.New(), 2, 3)
	w.sells(show, uuid.New(), 3, 0)
	if _, err := w.office.sell(t.Context(), show, uuid.New(), 1); !errors.Is(err, errSoldOut) {
		t.Fatal(err)
	}
	w.sold(show, 2, 5)
}

func TestASaleThatIsAskedForTwiceIsMadeOnce(t *testing.T) {
	w := newWorld(t)
	show, sale := w.show(5), uuid.New()
	w.sells(show, sale, 2, 3)
	w.sells(show, sale, 2, 3)
	w.sold(show, 1, 2)
}

func TestACrowdBuysEachSeatOnce(t *testing.T) {
	w := newWorld(t)
	const seats, buyers = 15, 4
	show := w.show(seats)
	var lock sync.Mutex
	var left []int
	var crowd sync.WaitGroup
	for range buyers {
		crowd.Go(func() {
			for range 5 {
				now, err := w.office.sell(t.Context(), show, uuid.New(), 1)
				if errors.Is(err, errSoldOut) {
					continue
				}
				if err != nil {
					t.Error(err)
				}
				lock.Lock()
				left = append(left, now)
				lock.Unlock()
			}
		})
	}
	crowd.Wait()
	slices.Sort(left)
	if len(left) != seats || left[0] != 0 || left[seats-1] != seats-1 || len(slices.Compact(left)) != seats {
		t.Fatal(left)
	}
	w.sold(show, seats, seats)
}

func TestHalfOfAllTransactionsConflict(t *testing.T) {
	w := newWorld(t)
	show := w.show(100)
	must(t, w.trouble("conflicts(0.5)"))
	for number := range 10 {
		w.sells(show, uuid.New(), 1, 99-number)
	}
	must(t, w.trouble("calm()"))
	w.sold(show, 10, 10)
}

func TestSessionsEndAndNobodyNotices(t *testing.T) {
	w := newWorld(t)
	show := w.show(5)
	if w.trouble("drop_connections()") == nil { // the admin's, too
		t.Fatal("the session is still there")
	}
	w.sells(show, uuid.New(), 2, 3)
}

func TestAShowThatNobodyOpened(t *testing.T) {
	w := newWorld(t)
	if _, err := w.office.sell(t.Context(), uuid.New(), uuid.New(), 1); !errors.Is(err, errNoSuchShow) {
		t.Fatal(err)
	}
}

func (w world) call(server *httptest.Server, method, path, body string, expected int) map[string]any {
	w.Helper()
	request, err := http.NewRequestWithContext(w.Context(), method, server.URL+path, strings.NewReader(body))
	must(w.T, err)
	response, err := server.Client().Do(request)
	must(w.T, err)
	defer response.Body.Close()
	var answer map[string]any
	must(w.T, json.NewDecoder(response.Body).Decode(&answer))
	if response.StatusCode != expected {
		w.Fatalf("%s %s: %d %v; %d was expected", method, path, response.StatusCode, answer, expected)
	}
	return answer
}

func TestItSellsOverHTTP(t *testing.T) {
	w := newWorld(t)
	server := httptest.NewServer(routes(w.office))
	defer server.Close()
	opened := w.call(server, "POST", "/shows", `{"name": "Faust", "seats": 3}`, http.StatusCreated)
	show := "/shows/" + opened["show"].(string)
	sale := func() string { return show + "/sales/" + uuid.NewString() }
	if left := w.call(server, "PUT", sale(), `{"seats": 2}`, http.StatusOK)["left"]; left != 1.0 {
		t.Fatal(left)
	}
	w.call(server, "PUT", sale(), `{"seats": 2}`, http.StatusConflict)
	if left := w.call(server, "GET", show, "", http.StatusOK)["left"]; left != 1.0 {
		t.Fatal(left)
	}
	w.call(server, "GET", "/shows/"+uuid.NewString(), "", http.StatusNotFound)
	w.call(server, "POST", "/shows", `{"name": "Faust", "seats": -1}`, http.StatusBadRequest)
	w.call(server, "GET", "/health", "", http.StatusOK)
}

func TestItSaysThatTheDatabaseIsAway(t *testing.T) {
	w := newWorld(t)
	w.office.pool.Reset() // so that it has to connect
	must(t, w.trouble("refuse_tokens(true)"))
	log.SetOutput(io.Discard)
	defer log.SetOutput(os.Stderr)
	server := httptest.NewServer(routes(w.office))
	defer server.Close()
	w.call(server, "GET", "/shows/"+uuid.NewString(), "", http.StatusServiceUnavailable)
	must(t, w.trouble("refuse_tokens(false)"))
	w.call(server, "GET", "/shows/"+uuid.NewString(), "", http.StatusNotFound)
}
