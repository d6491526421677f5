package main

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

// The words that the lines of the data are made of.
var (
	levels   = []string{"INFO", "INFO", "INFO", "INFO", "DEBUG", "DEBUG", "WARN", "ERROR"}
	parts    = []string{"api", "auth", "billing", "cache", "db", "gateway", "queue", "search"}
	verbs    = []string{"served", "processing", "retrying", "stored", "dropped", "sending", "read", "closed"}
	nouns    = []string{"request", "connection", "foo", "record", "batch", "session", "message", "food"}
	users    = []string{"ann", "bob", "carol", "dave", "erin", "frank", "grace", "heidi"}
	outcomes = []string{"ok", "ok", "ok", "timeout", "refused", "ok, cached", "foo bar"}
)

// writeData makes the files that filters read, each of about size bytes, and the
// same on every run.
func writeData(dir string, size int) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	files := []struct {
		name string
		line func(w io.Writer, r *rand.Rand, n int) (int, error)
	}{
		{"log", logLine}, {"log.gz", logLine}, {"objects", objectLine}, {"levels", levelLine}, {"numbers", numberLine},
	}
	for _, f := range files {
		if err := writeLines(filepath.Join(dir, f.name), size, f.line); err != nil {
			return err
		}
	}
	return nil
}

func writeLines(name string, size int, line func(w io.Writer, r *rand.Rand, n int) (int, error)) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	buf := bufio.NewWriterSize(f, 1<<20)
	var w io.Writer = buf
	if filepath.Ext(name) == ".gz" {
		z := gzip.NewWriter(buf)
		defer func() { err = errorOf(err, z.Close(), buf.Flush()) }()
		w = z
	}
	r := rand.New(rand.NewPCG(1, 2))
	for n, written := 0, 0; written < size; n++ {
		k, err := line(w, r, n)
		if err != nil {
			return err
		}
		written += k
	}
	return buf.Flush()
}

func errorOf(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

func pick(r *rand.Rand, list []string) string { return list[r.IntN(len(list))] }

func logLine(w io.Writer, r *rand.Rand, n int) (int, error) {
	at := time.UnixMilli(1_764_000_000_000 + int64(n)*37 + int64(r.IntN(5000))).UTC()
	return fmt.Fprintf(w, "%s host%02d %s %s %s %d %s user=%s id=%08x, %s\n", at.Format("2006-01-02T15:04:05.000Z"),
		r.IntN(40), pick(r, levels), pick(r, parts), pick(r, verbs), r.IntN(100_000), pick(r, nouns), pick(r, users), r.Uint32(), pick(r, outcomes))
}

func objectLine(w io.Writer, r *rand.Rand, n int) (int, error) {
	return fmt.Fprintf(w, `{"id":%d,"user":{"name":"%s %s","admin":%t},"score":%.2f,"tags":["%s","%s","%s"],"note":"%s \"%s\" caf\u00e9","parent":null}`+"\n",
		n, pick(r, users), pick(r, nouns), r.IntN(9) == 0, r.Float64()*100, pick(r, parts), pick(r, levels), pick(r, verbs), pick(r, outcomes), pick(r, nouns))
}

// levelLine gives runs of equal lines.
func levelLine(w io.Writer, r *rand.Rand, n int) (int, error) {
	return fmt.Fprintf(w, "%s %s %s\n", levels[n/3%len(levels)], parts[n/7%len(parts)], outcomes[n/20%len(outcomes)])
}

func numberLine(w io.Writer, r *rand.Rand, n int) (int, error) {
	return fmt.Fprintf(w, "%d\n", r.Int64N(1_000_000_000_000)-1000)
}
