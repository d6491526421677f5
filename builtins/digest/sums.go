package digest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/limpet-sh/limpet/builtins"
)

// The commands that print and check digests of one kind.
var (
	_ = addSum("md5sum", "md5")
	_ = addSum("sha1sum", "sha1")
	_ = addSum("sha224sum", "sha224")
	_ = addSum("sha256sum", "sha256")
	_ = addSum("sha384sum", "sha384")
	_ = addSum("sha512sum", "sha512")
	_ = addSum("b2sum", "blake2b")
)

func addSum(name, algorithm string) *builtins.Command {
	a := algorithms[algorithm]
	return commands.Add(&builtins.Command{
		Name:     name,
		Synopsis: "[OPTION]... [FILE]...",
		Summary:  "print or check " + a.tag + " digests",
		Run:      func(ctx context.Context, c *builtins.Call) error { return runSum(ctx, c, a) },
	})
}

func runSum(ctx context.Context, c *builtins.Call, a *algorithm) error {
	var s style
	bits, mode := 0, "" // mode is the last of --binary and --text
	k := checker{parser: lineParser{algorithm: a}}
	f := c.Flags()
	f.Do("b,binary", "read in binary mode", func() error { mode, s.binary = "b", true; return nil })
	f.Bool(&k.on, "c,check", "read checksums from the FILEs and check them")
	if a.variable() {
		f.Func("l,length", "digest length in `BITS`; must not exceed the max and must be a multiple of 8", func(v string) error {
			return setLength(c, &bits, v, a)
		})
	}
	f.Do("tag", "create a BSD-style checksum", func() error { s.tagged, s.binary = true, true; return nil })
	f.Do("t,text", "read in text mode (default)", func() error { mode, s.binary = "t", false; return nil })
	k.declare(f, &s)
	files, err := f.Parse()
	if err != nil {
		return err
	}
	switch {
	case s.tagged && !s.binary:
		err = builtins.Usage("--tag does not support --text mode")
	case s.zero && k.on:
		err = builtins.Usage("the --zero option is not supported when verifying checksums")
	case s.tagged && k.on:
		err = builtins.Usage("the --tag option is meaningless when verifying checksums")
	case mode != "" && k.on:
		err = builtins.Usage("the --binary and --text options are meaningless when verifying checksums")
	default:
		err = k.misplaced()
	}
	if err != nil {
		return f.Fail(err)
	}
	if bits == 0 {
		bits = a.bits
	}
	if k.on {
		return k.run(c, files)
	}
	return printSums(c, files, a, bits, s)
}

// setLength sets the length of a digest in bits. The error may be of two lines,
// which both begin with the command's name once it is printed.
func setLength(c *builtins.Call, bits *int, text string, a *algorithm) error {
	n, err := strconv.ParseUint(text, 10, 63)
	problem := "invalid length: " + builtins.QuoteLocale(text)
	switch {
	case err != nil:
		return errors.New(problem)
	case n > uint64(a.bits) && a.variable():
		return fmt.Errorf("%s\n%s: maximum digest length for %s is %d bits", problem, c.Name, builtins.QuoteLocale(a.tag), a.bits)
	case n%8 != 0:
		return fmt.Errorf("%s\n%s: length is not a multiple of 8", problem, c.Name)
	}
	*bits = int(n)
	return nil
}

// printSums prints the digests of files.
func printSums(c *builtins.Call, files []string, a *algorithm, bits int, s style) error {
	w := bufio.NewWriter(c.Stdout)
	err := c.EachInput(files, func(name string, r io.Reader) error {
		sum, err := a.sum(c, r, bits)
		if err != nil {
			return err
		}
		_, err = w.WriteString(s.format(a, bits, sum, name))
		return err
	})
	if err != nil {
		return err
	}
	return w.Flush()
}
