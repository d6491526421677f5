//go:build ignore

// Generate writes zones.gz, the time zones of the Go distribution with each
// different zone stored once.
package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

func main() {
	r, err := zip.OpenReader(filepath.Join(runtime.GOROOT(), "lib/time/zoneinfo.zip"))
	if err != nil {
		log.Fatal(err)
	}
	names := map[string][]string{} // by content
	for _, f := range r.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		rc, err := f.Open()
		if err != nil {
			log.Fatal(err)
		}
		data, err := io.ReadAll(rc)
		if err != nil {
			log.Fatal(err)
		}
		names[string(data)] = append(names[string(data)], f.Name)
	}
	var contents []string
	for c := range names {
		slices.Sort(names[c])
		contents = append(contents, c)
	}
	slices.SortFunc(contents, func(a, b string) int { return strings.Compare(names[a][0], names[b][0]) })
	var buf bytes.Buffer
	w, _ := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	for _, c := range contents {
		fmt.Fprintf(w, "%s %d\n%s", strings.Join(names[c], " "), len(c), c)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("zones.gz", buf.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
}
