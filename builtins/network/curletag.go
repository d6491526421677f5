package network

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/limpet-sh/limpet/vfs"
)

// compareETag puts the tag of a file into a request.
func (o *operation) compareETag(cu *curl) error {
	if o.etagCompare == "" {
		return nil
	}
	f, err := cu.FS.OpenFile(o.etagCompare, vfs.O_RDONLY, 0)
	if err != nil {
		if !cu.global.silent {
			fmt.Fprintf(cu.errs, "curl: Failed to open %s\n", o.etagCompare)
		}
		return &curlError{26, ""}
	}
	defer f.Close()
	const longest = 64 << 10
	data, err := io.ReadAll(io.LimitReader(f, longest))
	if err != nil {
		return curlErrorf(26, "Failed to read the etag file")
	}
	line, _, _ := strings.Cut(string(data), "\n")
	if line = strings.TrimSuffix(line, "\r"); line == "" {
		line = `""`
	}
	if strings.ContainsAny(line, "\r\x00") {
		return curlErrorf(26, "Failed to read the etag file")
	}
	o.fixed["If-None-Match"] = []string{line}
	return nil
}

// createETag makes the file for the tag of the response.
func (t *transfer) createETag() error {
	if t.o.etagSave == "" {
		return nil
	}
	f, err := t.cu.FS.OpenFile(t.o.etagSave, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
	if err != nil {
		t.cu.warn(t.o, "Failed creating file for saving etags: \"%s\". Skip this transfer", t.o.etagSave)
		if !t.cu.global.silent {
			fmt.Fprintln(t.cu.errs, "curl: no transfer performed")
		}
		return &curlError{26, ""}
	}
	return f.Close()
}

// saveETag writes the tag of a response.
func (t *transfer) saveETag(res *http.Response) error {
	tag := res.Header.Get("ETag")
	if t.o.etagSave == "" || tag == "" {
		return nil
	}
	f, err := t.cu.FS.OpenFile(t.o.etagSave, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
	if err == nil {
		_, err = io.WriteString(f, tag+"\n")
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}
	if err != nil {
		return curlErrorf(23, "Failed writing the etag")
	}
	return nil
}
