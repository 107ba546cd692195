// Package check ends a program that did not find what it should, and says where.
package check

import (
	"fmt"
	"log"
	"os"
)

// No ends the program if there is an error.
func No(err error) {
	if err != nil {
		log.Output(2, err.Error())
		os.Exit(1)
	}
}

// That ends the program, with these words, unless it is so.
func That(isSo bool, format string, values ...any) {
	if !isSo {
		log.Output(2, fmt.Sprintf(format, values...))
		os.Exit(1)
	}
}
