package parse_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"

	"github.com/limpet-sh/limpet/internal/parse"
	"github.com/limpet-sh/limpet/internal/unparse"
)

// known reports whether err is of a kind that this package promises.
func known(err error) bool {
	var syn *parse.SyntaxError
	return err == nil || errors.Is(err, parse.ErrTooDeep) || errors.Is(err, parse.ErrTooLong) || errors.As(err, &syn)
}

// FuzzFile reads arbitrary source: nothing panics or takes long, positions are
// those of the source, and all that was read can be printed.
func FuzzFile(f *testing.F) {
	seeds, err := filepath.Glob("testdata/*.txt")
	require.NoError(f, err)
	for _, name := range seeds {
		for _, c := range readCases(f, name) {
			f.Add(c.script, false)
		}
	}
	f.Fuzz(func(t *testing.T, src string, extGlob bool) {
		defer time.AfterFunc(10*time.Second, func() { panic(fmt.Sprintf("takes long: %q", src)) }).Stop()
		mode := parse.Mode{ExtGlob: extGlob}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		prog, err := parse.FileContext(ctx, src, 0, mode)
		require.True(t, known(err), "%v", err)
		checkPositions(t, prog)
		for _, line := range prog.Lines() {
			_, err := unparse.List(line, prog.Source, 1<<20)
			require.True(t, err == nil || errors.Is(err, unparse.ErrTooLong))
		}
		checkReader(t, ctx, src, mode, prog)
		_, err = parse.Document(src, mode)
		require.True(t, known(err), "%v", err)
	})
}

// checkReader reads the source again, command by command.
func checkReader(t *testing.T, ctx context.Context, src string, mode parse.Mode, whole *parse.Program) {
	r := parse.NewReader(ctx, src, mode)
	r.Alias = func(name string) (string, bool) {
		switch name {
		case "a":
			return "b ", true
		case "b":
			return "a;", true
		case "if":
			return "{ ", true
		}
		return "", false
	}
	r.Limit = 1 << 20
	for range 1000 {
		prog, err := r.Next()
		if err == io.EOF {
			return
		}
		require.True(t, known(err), "%v", err)
		checkPositions(t, prog)
		if err != nil {
			return
		}
	}
}

// checkPositions requires that the positions in a program are in its source.
func checkPositions(t *testing.T, prog *parse.Program) {
	var check func(v reflect.Value)
	check = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Interface, reflect.Pointer:
			if !v.IsNil() {
				check(v.Elem())
			}
		case reflect.Slice:
			for i := range v.Len() {
				check(v.Index(i))
			}
		case reflect.Struct:
			if pos, ok := v.Interface().(syntax.Pos); ok {
				require.LessOrEqual(t, int(pos.Offset()), len(prog.Source))
				return
			}
			for i := range v.NumField() {
				check(v.Field(i))
			}
		}
	}
	check(reflect.ValueOf(prog.Stmts))
}

// A testCase is a script and what is expected of it.
type testCase struct{ script, want string }

// readCases reads a file of scripts between lines of ====, each with what is
// expected of it below a line of ----.
func readCases(t testing.TB, name string) []testCase {
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return splitCases(string(text))
}
