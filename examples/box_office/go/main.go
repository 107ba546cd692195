// The box office over HTTP.
//
//	POST /shows                {"name": "Faust", "seats": 80}    201 {"show": "…"}
//	GET  /shows/<show>                                           200 {"left": 80}
//	PUT  /shows/<show>/sales/<sale>    {"seats": 2}              200 {"left": 78}; 409: sold out
//	GET  /health                                                 200 {}
//
// 503: the database is away; the same request may be sent again, also after no answer at all.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"os"

	"github.com/google/uuid"
)

const (
	longestBody = 10_000
	mostSeats   = 100_000
)

var errNotUnderstood = errors.New("not understood")

// What an action answers, or why it cannot.
type action func(request *http.Request) (status int, answer any, err error)

func routes(office boxOffice) http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, act action) { mux.HandleFunc(pattern, answering(act)) }
	handle("POST /shows", func(request *http.Request) (int, any, error) {
		body, err := readBody(request)
		if err != nil {
			return 0, nil, err
		}
		show, err := office.openShow(request.Context(), body.Name, body.Seats)
		return http.StatusCreated, map[string]any{"show": show}, err
	})
	handle("GET /shows/{show}", func(request *http.Request) (int, any, error) {
		show, err := id(request, "show")
		if err != nil {
			return 0, nil, err
		}
		left, err := office.seatsLeft(request.Context(), show)
		return http.StatusOK, map[string]any{"left": left}, err
	})
	handle("PUT /shows/{show}/sales/{sale}", func(request *http.Request) (int, any, error) {
		show, showErr := id(request, "show")
		sale, saleErr := id(request, "sale")
		body, bodyErr := readBody(request)
		if err := errors.Join(showErr, saleErr, bodyErr); err != nil {
			return 0, nil, err
		}
		left, err := office.sell(request.Context(), show, sale, body.Seats)
		return http.StatusOK, map[string]any{"left": left}, err
	})
	handle("GET /health", func(*http.Request) (int, any, error) { return http.StatusOK, struct{}{}, nil })
	return mux
}

func answering(act action) http.HandlerFunc {
	return func(writer http.ResponseWriter, request *http.Request) {
		request.Body = http.MaxBytesReader(writer, request.Body, longestBody)
		status, answer, err := act(request)
		if err != nil {
			status, answer = excuse(err)
		}
		writer.Header().Set("Content-Type", "application/json")
		writer.WriteHeader(status)
		_ = json.NewEncoder(writer).Encode(answer) // who does not listen any more hears nothing
	}
}

func excuse(err error) (int, any) {
	told := func(text string) any { return map[string]string{"error": text} }
	switch {
	case errors.Is(err, errSoldOut):
		return http.StatusConflict, told(errSoldOut.Error())
	case errors.Is(err, errNoSuchShow):
		return http.StatusNotFound, told(errNoSuchShow.Error())
	case errors.Is(err, errNotUnderstood):
		return http.StatusBadRequest, told(errNotUnderstood.Error())
	default:
		log.Printf("the database: %v", err)
		return http.StatusServiceUnavailable, told("try again later")
	}
}

type body struct {
	Name  string `json:"name"`
	Seats int    `json:"seats"`
}

func readBody(request *http.Request) (read body, err error) {
	if json.NewDecoder(request.Body).Decode(&read) != nil || read.Seats <= 0 || read.Seats > mostSeats {
		return read, errNotUnderstood
	}
	return read, nil
}

func id(request *http.Request, name string) (uuid.UUID, error) {
	value, err := uuid.Parse(request.PathValue(name))
	if err != nil {
		return value, errNotUnderstood
	}
	return value, nil
}

func main() {
	ctx := context.Background()
	pool, err := openDatabase(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	schema, err := os.ReadFile(cmp.Or(os.Getenv("SCHEMA"), "../schema.sql"))
	if err != nil {
		log.Fatal(err)
	}
	office := boxOffice{pool}
	if err := office.prepare(ctx, string(schema)); err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:"+cmp.Or(os.Getenv("PORT"), "8080"), routes(office)))
}
