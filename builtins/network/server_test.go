package network_test

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/internal/transcript"
	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/stretchr/testify/require"
)

// serve answers in ways that do not depend on the time or on its port.
func serve(w http.ResponseWriter, r *http.Request) {
	w.Header()["Date"] = nil
	body, _ := io.ReadAll(r.Body)
	name, arg, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch name {
	case "status":
		n, _ := strconv.Atoi(arg)
		http.Error(w, "status "+arg, n)
	case "redirect":
		n, _ := strconv.Atoi(arg)
		to := r.URL.Query().Get("to")
		if to == "" {
			to = "/echo"
		}
		w.Header().Set("Location", strings.ReplaceAll(to, "PORT", r.Host[strings.LastIndexByte(r.Host, ':')+1:]))
		w.WriteHeader(n)
		fmt.Fprintln(w, "moved")
	case "loop":
		w.Header().Set("Location", "/loop")
		w.WriteHeader(302)
	case "hops":
		if n, _ := strconv.Atoi(arg); n > 0 {
			w.Header().Set("Location", fmt.Sprintf("/hops/%d", n-1))
			w.WriteHeader(302)
			return
		}
		fmt.Fprintln(w, "arrived")
	case "file":
		w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
		http.ServeContent(w, r, arg, time.Date(2006, 1, 2, 15, 4, 5, 0, time.UTC), strings.NewReader("0123456789abcdefghijklmnopqrstuvwxyz\n"))
	case "cookie":
		for _, c := range r.URL.Query()["set"] {
			w.Header().Add("Set-Cookie", c)
		}
		fmt.Fprintf(w, "cookies: %s\n", r.Header.Get("Cookie"))
	case "gzip":
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		fmt.Fprintln(z, "compressed text")
		z.Close()
	case "bomb":
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		zeros := make([]byte, 1<<20)
		for range 200 {
			if _, err := z.Write(zeros); err != nil {
				return
			}
		}
		z.Close()
	case "endless":
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	case "short", "empty", "garbage", "flood":
		conn, _, _ := w.(http.Hijacker).Hijack()
		defer conn.Close()
		switch name {
		case "short":
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this\n")
		case "garbage":
			io.WriteString(conn, "\x01\x02\x03 garbage\r\n")
		case "flood":
			io.WriteString(conn, "HTTP/1.1 200 OK\r\n")
			for i := range 100_000 {
				if _, err := fmt.Fprintf(conn, "X-%d: %s\r\n", i, strings.Repeat("x", 100)); err != nil {
					return
				}
			}
		}
	case "slow":
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	case "disposition":
		w.Header().Set("Content-Disposition", "attachment; filename="+r.URL.Query().Get("name"))
		fmt.Fprintln(w, "attached")
	case "plain":
		fmt.Fprintln(w, "hello")
	case "etag":
		w.Header().Set("ETag", `"tag"`)
		if r.Header.Get("If-None-Match") == `"tag"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		fmt.Fprintln(w, "tagged")
	case "refresh":
		w.Header().Set("Refresh", "0; url=https://other.example.com/")
		fmt.Fprintln(w, "hello")
	case "nothing":
		w.WriteHeader(204)
	default:
		echo(w, r, body)
	}
}

// echo shows a request: its headers by name, those that differ from one run to
// the next without what differs.
func echo(w http.ResponseWriter, r *http.Request, body []byte) {
	w.Header().Set("Content-Type", "text/plain")
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", r.Method, r.RequestURI)
	if h, _, err := net.SplitHostPort(r.Host); err == nil {
		fmt.Fprintf(&b, "Host: %s\n", h)
	} else {
		fmt.Fprintf(&b, "Host: %s\n", r.Host)
	}
	boundary := ""
	if kind, rest, ok := strings.Cut(r.Header.Get("Content-Type"), "; boundary="); ok {
		boundary = rest
		r.Header.Set("Content-Type", kind)
		r.Header.Del("Content-Length")
	}
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		if name == "Expect" || name == "Accept-Encoding" && !strings.Contains(r.URL.RawQuery, "encoding") {
			continue
		}
		for _, v := range r.Header[name] {
			fmt.Fprintf(&b, "%s: %s\n", name, strings.ReplaceAll(v, r.Host, "HOST"))
		}
	}
	if r.Method != "HEAD" {
		b.WriteString("\n")
	}
	text := string(body)
	if boundary != "" {
		text = strings.ReplaceAll(text, boundary, "BOUNDARY")
	}
	b.WriteString(strings.ReplaceAll(text, "\r\n", "<\n"))
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	io.WriteString(w, b.String())
}

// newServer starts the server, and returns its URL and port.
func newServer(t *testing.T) (string, uint16) {
	s := httptest.NewServer(http.HandlerFunc(serve))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	u, err := url.Parse(s.URL)
	require.NoError(t, err)
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	require.NoError(t, err)
	return s.URL, uint16(port)
}

// variables are those that transcripts have: the server, and a port where nobody
// listens.
func variables(base string) map[string]string {
	return map[string]string{"U": base, "PORT": base[strings.LastIndexByte(base, ':')+1:], "NOBODY": "http://127.0.0.1:1"}
}

// start makes a shell that may reach the server.
func start(t *testing.T, base string, port uint16) func(*testing.T, map[string]string) transcript.Shell {
	return func(t *testing.T, files map[string]string) transcript.Shell {
		sh, err := limpet.New(limpet.Config{
			Network: netpolicy.Policy{Loopback: []uint16{port, 1}}, Env: variables(base),
		})
		require.NoError(t, err)
		t.Cleanup(func() { sh.Close() })
		for name, text := range files {
			require.NoError(t, sh.WriteFile(context.Background(), name, []byte(text), 0o644))
		}
		return func(t *testing.T, script string) transcript.Outcome {
			res, err := sh.Exec(t.Context(), limpet.Request{Script: script})
			require.NoError(t, err)
			return transcript.Outcome{Stdout: string(res.Stdout), Stderr: string(res.Stderr), Status: res.Status}
		}
	}
}

func TestTranscripts(t *testing.T) {
	base, port := newServer(t)
	transcript.Run(t, "testdata/*.txt", start(t, base, port))
}

// TestConfirm has the curl and wget of the host do the same to the same server.
func TestConfirm(t *testing.T) {
	base, _ := newServer(t)
	transcript.ConfirmWith(t, "testdata/*.txt", variables(base))
}
