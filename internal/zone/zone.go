// Package zone finds time zones by the value of TZ, as the C library does, in a
// database of its own: it reads no file of the host.
package zone

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:generate go run generate.go

// zones holds the database: for each zone its names and the length of its
// data, on a line, and the data (RFC 8536).
//
//go:embed zones.gz
var zones []byte

// database maps the names of zones to their data. It is unpacked on first use.
var database = sync.OnceValue(func() map[string][]byte {
	m := map[string][]byte{}
	r, err := gzip.NewReader(bytes.NewReader(zones))
	if err != nil {
		panic("zone: " + err.Error())
	}
	rest, err := io.ReadAll(r)
	if err != nil {
		panic("zone: " + err.Error())
	}
	for len(rest) > 0 {
		head, tail, _ := bytes.Cut(rest, []byte("\n"))
		fields := strings.Fields(string(head))
		size, _ := strconv.Atoi(fields[len(fields)-1])
		for _, name := range fields[:len(fields)-1] {
			m[name] = tail[:size:size]
		}
		rest = tail[size:]
	}
	return m
})

// Load returns the zone that tz, a value of the variable TZ, names: one of the
// database such as "Europe/Paris", or a rule such as "EST5EDT,M3.2.0,M11.1.0".
// The empty string is UTC, and so is what cannot be understood, under the
// letters that it starts with.
func Load(tz string) *time.Location {
	tz = strings.TrimPrefix(tz, ":")
	if tz == "" || tz == "UTC" {
		return time.UTC
	}
	if data, ok := database()[strings.TrimPrefix(tz, "/usr/share/zoneinfo/")]; ok {
		if loc, err := time.LoadLocationFromTZData(tz, data); err == nil {
			return loc
		}
	}
	return parseRule(tz)
}

// Names returns the names in the database, in no order.
func Names() []string {
	var names []string
	for name := range database() {
		names = append(names, name)
	}
	return names
}
