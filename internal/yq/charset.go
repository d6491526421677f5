//go:build !slim

package yq

import (
	"io"

	"golang.org/x/text/encoding/htmlindex"
)

// charsetReader returns what reads XML in an encoding that it names.
func charsetReader(label string, in io.Reader) (io.Reader, error) {
	code, err := htmlindex.Get(label)
	if err != nil {
		return nil, err
	}
	return code.NewDecoder().Reader(in), nil
}
