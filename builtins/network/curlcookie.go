package network

import (
	"bytes"
	"fmt"
	"net/http"
	"net/netip"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/limpet-sh/limpet/vfs"
	"golang.org/x/net/publicsuffix"
)

// A cookie is one that a server has set, or a file has.
type cookie struct {
	domain   string // without the dot
	tail     bool   // hosts below the domain get it too
	path     string
	secure   bool
	expires  int64 // seconds; 0 is the end of the session
	name     string
	value    string
	httpOnly bool
	order    int
}

// A jar has cookies. It is safe for concurrent use.
type jar struct {
	mu   sync.Mutex
	list []cookie
	made int
}

// openJar reads the cookies of -b options that are files.
func (o *operation) openJar(cu *curl) error {
	active := o.cookieJar != ""
	var literal []string
	files := []string{}
	for _, c := range o.cookies {
		if strings.Contains(c, "=") {
			literal = append(literal, c)
			continue
		}
		active = true
		files = append(files, c)
	}
	o.cookies = literal
	if !active {
		return nil
	}
	if o.jar = cu.jars[""]; o.jar == nil { // one for all operations
		o.jar = &jar{}
		cu.jars[""] = o.jar
	}
	for _, name := range files {
		if name == "" {
			continue
		}
		data, err := cu.readInput(name)
		if cu.Ends(err) {
			return err
		}
		for line := range strings.Lines(string(data)) {
			o.jar.addLine(strings.TrimRight(line, "\r\n"), o.junkSession)
		}
	}
	return nil
}

// addLine adds a line of Netscape's format, or a Set-Cookie header.
func (j *jar) addLine(line string, junkSession bool) {
	line, httpOnly := strings.CutPrefix(line, "#HttpOnly_")
	f := strings.Split(line, "\t")
	if strings.HasPrefix(line, "#") || len(f) < 6 {
		return
	}
	if len(f) == 6 {
		f = append(f, "")
	}
	expires, err := strconv.ParseInt(f[4], 10, 64)
	if err != nil || junkSession && expires == 0 {
		return
	}
	j.put(cookie{
		domain: strings.ToLower(strings.TrimPrefix(f[0], ".")), tail: f[1] == "TRUE", path: f[2], secure: f[3] == "TRUE",
		expires: expires, name: f[5], value: f[6], httpOnly: httpOnly,
	})
}

// put adds a cookie in the place of the one that it replaces.
func (j *jar) put(c cookie) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i, old := range j.list {
		if old.domain == c.domain && old.path == c.path && old.name == c.name && old.tail == c.tail {
			c.order = old.order
			j.list[i] = c
			return
		}
	}
	j.made++
	c.order = j.made
	j.list = append(j.list, c)
}

// store takes the cookies of a response.
func (j *jar) store(u *netpolicy.URL, header http.Header, now time.Time) {
	for _, text := range header["Set-Cookie"] {
		set, err := http.ParseSetCookie(text)
		if err != nil {
			continue
		}
		c := cookie{domain: u.Host, path: set.Path, secure: set.Secure, name: set.Name, value: set.Value, httpOnly: set.HttpOnly}
		if !strings.HasPrefix(c.path, "/") {
			c.path = u.Path[:max(1, strings.LastIndexByte(u.Path, '/'))]
		}
		if d := strings.ToLower(strings.TrimPrefix(set.Domain, ".")); d != "" && !u.Addr.IsValid() {
			suffix, _ := publicsuffix.PublicSuffix(d)
			if d != u.Host && (suffix == d || !strings.HasSuffix(u.Host, "."+d)) {
				continue
			}
			c.domain, c.tail = d, true
		} else if d != "" {
			if a, err := netip.ParseAddr(d); err != nil || a != u.Addr {
				continue
			}
		}
		if c.secure && u.Scheme != "https" && u.Host != "localhost" && !u.Addr.IsLoopback() {
			continue
		}
		switch {
		case set.MaxAge < 0:
			c.expires = 1
		case set.MaxAge > 0:
			c.expires = now.Unix() + int64(set.MaxAge)
		case !set.Expires.IsZero():
			c.expires = max(1, set.Expires.Unix())
		}
		j.put(c)
	}
	j.expire(now)
}

func (j *jar) expire(now time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	kept := j.list[:0]
	for _, c := range j.list {
		if c.expires == 0 || c.expires > now.Unix() {
			kept = append(kept, c)
		}
	}
	j.list = kept
}

// header returns the Cookie header for a request.
func (j *jar) header(u *netpolicy.URL, now time.Time) string {
	j.expire(now)
	j.mu.Lock()
	defer j.mu.Unlock()
	var list []cookie
	for _, c := range j.list {
		host := c.domain == u.Host || c.tail && strings.HasSuffix(u.Host, "."+c.domain) && !u.Addr.IsValid()
		path := strings.TrimSuffix(c.path, "/")
		below := u.Path == c.path || path == "" || strings.HasPrefix(u.Path, path+"/") || u.Path == path
		safe := !c.secure || u.Scheme == "https" || u.Host == "localhost" || u.Addr.IsLoopback()
		if host && below && safe {
			list = append(list, c)
		}
	}
	sort.SliceStable(list, func(a, b int) bool {
		x, y := list[a], list[b]
		if len(x.path) != len(y.path) {
			return len(x.path) > len(y.path)
		}
		if len(x.domain) != len(y.domain) {
			return len(x.domain) > len(y.domain)
		}
		if len(x.name) != len(y.name) {
			return len(x.name) > len(y.name)
		}
		return x.order > y.order
	})
	var b strings.Builder
	for i, c := range list {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(c.name + "=" + c.value)
	}
	return b.String()
}

// saveCookies writes the jar to the file of -c.
func (cu *curl) saveCookies(o *operation) {
	if o.cookieJar == "" || o.jar == nil {
		return
	}
	o.jar.expire(cu.Clock.Now())
	var b bytes.Buffer
	b.WriteString("# Netscape HTTP Cookie File\n# https://curl.se/docs/http-cookies.html\n# This file was generated by libcurl! Edit at your own risk.\n\n")
	list := append([]cookie(nil), o.jar.list...)
	sort.SliceStable(list, func(a, b int) bool { return list[a].order > list[b].order })
	for _, c := range list {
		prefix, dot, tail, secure := "", "", "FALSE", "FALSE"
		if c.httpOnly {
			prefix = "#HttpOnly_"
		}
		if c.tail {
			dot, tail = ".", "TRUE"
		}
		if c.secure {
			secure = "TRUE"
		}
		fmt.Fprintf(&b, "%s%s%s\t%s\t%s\t%s\t%d\t%s\t%s\n", prefix, dot, c.domain, tail, c.path, secure, c.expires, c.name, c.value)
	}
	if o.cookieJar == "-" {
		_, _ = cu.out.Write(b.Bytes())
		return
	}
	if err := vfs.WriteFile(cu.FS, o.cookieJar, b.Bytes(), 0o644); err != nil {
		cu.warn(o, "failed to save cookies in %s: %v", o.cookieJar, vfs.ErrnoOf(err))
	}
}
