package digest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var cksum = commands.Add(&builtins.Command{
	Name:     "cksum",
	Synopsis: "[OPTION]... [FILE]...",
	Summary:  "print or check checksums of many kinds",
	Run:      runCksum,
})

func runCksum(ctx context.Context, c *builtins.Call) error {
	name, length, untagged := "", "", false
	s := style{tagged: true, binary: true}
	var k checker
	f := c.Flags()
	f.Enum(&name, "a,algorithm", "algorithm",
		[]string{"bsd", "sysv", "crc", "md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "sm3"},
		"select the digest `TYPE` to use")
	debug := false
	f.Bool(&debug, "debug", "say how the CRC is computed")
	f.Bool(&k.on, "c,check", "read checksums from the FILEs and check them")
	f.String(&length, "l,length", "digest length in `BITS`; must not exceed the max and must be a multiple of 8")
	f.Do("tag", "create a BSD-style checksum (default)", func() error { untagged = false; return nil })
	f.Bool(&untagged, "untagged", "create a reversed style checksum, without digest type")
	k.declare(f, &s)
	files, err := f.Parse()
	if err != nil {
		return err
	}
	a := algorithms[name]
	bits, err := cksumLength(c, length, a)
	switch {
	case err != nil:
	case k.on && a == nil && name != "":
		err = errors.New("--check is not supported with --algorithm={bsd,sysv,crc}")
	case s.zero && k.on:
		err = builtins.Usage("the --zero option is not supported when verifying checksums")
	default:
		err = k.misplaced()
	}
	if err != nil {
		return f.Fail(err)
	}
	if untagged {
		s.tagged, s.binary = false, false
	}
	k.parser = lineParser{algorithm: a}
	switch {
	case k.on:
		return k.run(c, files)
	case a != nil:
		return printSums(c, files, a, bits, s)
	}
	if debug && (name == "" || name == "crc") {
		fmt.Fprintf(c.Stderr, "%s: pclmul support not detected\n", c.Name)
	}
	return printPlain(c, files, name, s.zero)
}

// cksumLength returns the length of the digest that text asks for.
func cksumLength(c *builtins.Call, text string, a *algorithm) (int, error) {
	bits := 0
	if text != "" {
		of := a
		if of == nil {
			of = &algorithm{}
		}
		if err := setLength(c, &bits, text, of); err != nil {
			return 0, err
		}
		if bits != 0 && !of.variable() {
			return 0, errors.New("--length is only supported with --algorithm=blake2b")
		}
	}
	if bits == 0 && a != nil {
		bits = a.bits
	}
	return bits, nil
}

// printPlain prints sums that are decimal numbers, with the size of the file.
func printPlain(c *builtins.Call, files []string, name string, zero bool) error {
	end := byte('\n')
	if zero {
		end = 0
	}
	w := bufio.NewWriter(c.Stdout)
	err := c.EachInput(files, func(file string, r io.Reader) error {
		text, err := plainSum(c, name, r)
		if err != nil {
			return err
		}
		w.WriteString(text)
		if len(files) > 0 {
			w.WriteByte(' ')
			w.WriteString(file)
		}
		return w.WriteByte(end)
	})
	if err != nil {
		return err
	}
	return w.Flush()
}

func plainSum(c *builtins.Call, name string, r io.Reader) (string, error) {
	switch name {
	case "bsd":
		var s bsdSum
		n, err := feed(c, &s, r)
		return fmt.Sprintf("%05d %5d", s, (n+1023)/1024), err
	case "sysv":
		var s sysvSum
		n, err := feed(c, &s, r)
		return fmt.Sprintf("%d %d", s.sum(), (n+511)/512), err
	}
	var s crc
	n, err := feed(c, &s, r)
	if errors.Is(err, vfs.EISDIR) {
		err = nil // GNU: what cannot be read is empty
	}
	return fmt.Sprintf("%d %d", s.sum(n), n), err
}

var sum = commands.Add(&builtins.Command{
	Name:     "sum",
	Synopsis: "[OPTION]... [FILE]...",
	Summary:  "checksum and count the blocks in a file",
	Run: func(ctx context.Context, c *builtins.Call) error {
		name := "bsd"
		f := c.Flags()
		f.Do("r", "use BSD sum algorithm (the default), use 1K blocks", func() error { name = "bsd"; return nil })
		f.Do("s,sysv", "use System V sum algorithm, use 512 bytes blocks", func() error { name = "sysv"; return nil })
		files, err := f.Parse()
		if err != nil {
			return err
		}
		return printPlain(c, files, name, false)
	},
})
