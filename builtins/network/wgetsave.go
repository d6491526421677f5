package network

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

// take takes the body of the response.
func (r *retrieval) take(ctx context.Context, res *http.Response, alarm *time.Timer) error {
	switch code := res.StatusCode; {
	case code == http.StatusNotModified:
		fmt.Fprintf(r.log, "File %s not modified on server. Omitting download.\n\n", builtins.QuoteLocale(r.name))
		return nil
	case code == http.StatusRequestedRangeNotSatisfiable && r.have > 0:
		fmt.Fprint(r.log, "\n    The file is already fully retrieved; nothing to do.\n\n")
		return nil
	case code >= 400:
		return r.failed(res)
	case r.spider:
		fmt.Fprint(r.log, "Length: "+lengthText(res)+"\nRemote file exists.\n\n")
		return nil
	case code != http.StatusPartialContent:
		r.have = 0
	}
	if r.disposition && r.document == nil {
		if name := dispositionName(res.Header.Get("Content-Disposition")); name != "" {
			r.name = r.place(name)
			if _, err := r.FS.Stat(r.name); err == nil {
				r.name = r.unused(r.name)
			}
		}
	}
	return r.save(ctx, res, alarm)
}

// failed prints the failure that a status is.
func (r *retrieval) failed(res *http.Response) error {
	if r.contentOnError && r.document != nil {
		if _, err := io.Copy(r.document, res.Body); err != nil {
			return err
		}
	}
	status := wgetResponse
	_, text, _ := strings.Cut(res.Status, " ")
	switch {
	case r.spider:
		if !r.brief {
			fmt.Fprint(r.log, "Remote file does not exist -- broken link!!!\n\n")
		}
	case res.StatusCode == http.StatusUnauthorized:
		fmt.Fprint(r.log, "\nUsername/Password Authentication Failed.\n")
		status = wgetAuth
	default:
		if r.brief {
			fmt.Fprintf(r.log, "%s:\n", r.url)
		}
		fmt.Fprintf(r.log, "%s ERROR %d: %s.\n\n", r.Clock.Now().Format("2006-01-02 15:04:05"), res.StatusCode, text)
	}
	return r.fail(status)
}

func lengthText(res *http.Response) string {
	n := "unspecified"
	if res.ContentLength >= 0 {
		n = fmt.Sprint(res.ContentLength)
		if text := abbreviated(res.ContentLength); text != "" {
			n += " (" + text + ")"
		}
	}
	if kind, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";"); kind != "" {
		n += " [" + kind + "]"
	}
	return n
}

// abbreviated writes a size of at least a KiB in short.
func abbreviated(n int64) string {
	f := float64(n)
	for _, unit := range "KMGT" {
		if f /= 1024; f < 1 {
			return ""
		}
		if f < 1024 {
			if f < 10 {
				return fmt.Sprintf("%.1f%c", f, unit)
			}
			return fmt.Sprintf("%.0f%c", f, unit)
		}
	}
	return fmt.Sprintf("%.0fP", f)
}

// save writes the body to the file.
func (r *retrieval) save(ctx context.Context, res *http.Response, alarm *time.Timer) error {
	shown := r.name
	out := r.document
	if out == nil {
		if r.prefix != "" {
			if err := r.FS.MkdirAll(r.prefix, 0o777); err != nil {
				fmt.Fprintf(r.log, "%s: %v\n", r.prefix, vfs.ErrnoOf(err))
				return r.fail(wgetFile)
			}
		}
		flag := vfs.O_WRONLY | vfs.O_CREATE | vfs.O_TRUNC
		if r.have > 0 {
			flag = vfs.O_WRONLY | vfs.O_APPEND
		}
		f, err := r.FS.OpenFile(r.name, flag, 0o666)
		if err != nil {
			fmt.Fprintf(r.log, "%s: %v\n\nCannot write to %s (%v).\n", r.name, vfs.ErrnoOf(err), builtins.QuoteLocale(r.name), vfs.ErrnoOf(err))
			return r.fail(wgetFile)
		}
		out = f
	} else if shown = r.output; shown == "-" {
		shown = "STDOUT"
	}
	if !r.brief {
		fmt.Fprintf(r.log, "Length: %s\nSaving to: %s\n\n", lengthText(res), builtins.QuoteLocale(shown))
	}
	start := time.Now()
	n, err := r.copy(out, res.Body, alarm)
	if r.document == nil {
		if cerr := out.Close(); err == nil {
			err = cerr
		}
	}
	return r.saved(ctx, res, shown, n, time.Since(start), err)
}

// copy copies the body, and sets the alarm for its silence.
func (r *retrieval) copy(out io.Writer, body io.Reader, alarm *time.Timer) (n int64, err error) {
	buf := make([]byte, 64<<10)
	for {
		k, rerr := body.Read(buf)
		if k > 0 {
			if r.timeout > 0 {
				alarm.Reset(r.timeout)
			}
			if _, err := out.Write(buf[:k]); err != nil {
				return n, &writeError{err}
			}
			n += int64(k)
		}
		if rerr == io.EOF {
			return n, nil
		}
		if rerr != nil {
			return n, rerr
		}
	}
}

// A writeError is that of the file.
type writeError struct{ error }

// Unwrap returns the error of the file.
func (e *writeError) Unwrap() error { return e.error }

// saved prints the end of a retrieval.
func (r *retrieval) saved(ctx context.Context, res *http.Response, shown string, n int64, took time.Duration, err error) error {
	now := r.Clock.Now().Format("2006-01-02 15:04:05")
	var write *writeError
	switch {
	case errors.As(err, &write):
		if r.Ends(write.error) {
			return write.error
		}
		fmt.Fprintf(r.log, "\nCannot write to %s (%v).\n", builtins.QuoteLocale(shown), vfs.ErrnoOf(write.error))
		return r.fail(wgetFile)
	case err != nil && r.Ends(err) && context.Cause(ctx) != errConnect:
		return err
	case err != nil:
		fmt.Fprintf(r.log, "%s (%s) - Connection closed at byte %d. ", now, rate(n, took), n)
		r.resume = true
		return errAgain
	}
	when, terr := http.ParseTime(res.Header.Get("Last-Modified"))
	if terr == nil && r.document == nil {
		_ = r.FS.Chtimes(r.name, when, when)
	}
	size := fmt.Sprint(n + r.have)
	if res.ContentLength >= 0 {
		size += fmt.Sprintf("/%d", res.ContentLength+r.have)
	}
	if r.brief {
		fmt.Fprintf(r.log, "%s URL:%s [%s] -> \"%s\" [1]\n", now, r.url, size, strings.Replace(shown, "STDOUT", "-", 1))
		return nil
	}
	verb := "saved"
	if shown == "STDOUT" {
		shown, verb = "-", "written to stdout"
		fmt.Fprintf(r.log, "\n%s (%s) - %s [%s]\n\n", now, rate(n, took), verb, size)
		return nil
	}
	fmt.Fprintf(r.log, "\n%s (%s) - %s %s [%s]\n\n", now, rate(n, took), builtins.QuoteLocale(shown), verb, size)
	return nil
}

func rate(n int64, took time.Duration) string {
	f := float64(n) / max(took.Seconds(), 1e-6)
	for _, unit := range []string{"B/s", "KB/s", "MB/s", "GB/s"} {
		if f < 1024 {
			return fmt.Sprintf("%.3g %s", f, unit)
		}
		f /= 1024
	}
	return fmt.Sprintf("%.3g TB/s", f)
}
