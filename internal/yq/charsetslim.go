//go:build slim

package yq

import (
	"fmt"
	"io"
)

// charsetReader fails: the tables of the encodings are large.
func charsetReader(label string, _ io.Reader) (io.Reader, error) {
	return nil, fmt.Errorf("the encoding %q is not in this build", label)
}
