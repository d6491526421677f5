package serve

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// metrics are what Prometheus is told of one server.
type metrics struct {
	created     atomic.Int64
	interrupted atomic.Int64
	running     atomic.Int64
	script      histogram
	keep        histogram

	mu       sync.Mutex
	requests map[request]int64
}

// A request is what requests are counted by.
type request struct {
	operation string
	status    int
}

// requested counts a request.
func (m *metrics) requested(operation string, status int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.requests == nil {
		m.requests = map[request]int64{}
	}
	m.requests[request{operation, status}]++
}

// bounds are the upper bounds of the buckets of a histogram.
var bounds = [...]time.Duration{
	time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond, time.Second, 5 * time.Second, 20 * time.Second, time.Minute,
}

// A histogram counts durations. The zero histogram is empty.
type histogram struct {
	mu      sync.Mutex
	buckets [len(bounds) + 1]int64
	sum     time.Duration
}

func (h *histogram) observe(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i, _ := slices.BinarySearch(bounds[:], d)
	h.buckets[i]++
	h.sum += d
}

// write writes the histogram in the text format of Prometheus.
func (h *histogram) write(w io.Writer, name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	fmt.Fprintf(w, "# TYPE %s histogram\n", name)
	var n int64
	for i, bound := range bounds {
		n += h.buckets[i]
		fmt.Fprintf(w, "%s_bucket{le=\"%v\"} %d\n", name, bound.Seconds(), n)
	}
	n += h.buckets[len(bounds)]
	fmt.Fprintf(w, "%s_bucket{le=\"+Inf\"} %d\n%s_sum %v\n%s_count %d\n", name, n, name, h.sum.Seconds(), name, n)
}

// serveMetrics writes all metrics in the text format of Prometheus.
func (s *Server) serveMetrics(w io.Writer) {
	m := &s.metrics
	one := func(name, kind string, value int64) { fmt.Fprintf(w, "# TYPE %s %s\n%s %d\n", name, kind, name, value) }
	one("limpet_sessions_in_memory", "gauge", int64(len(s.held())))
	one("limpet_sessions_created_total", "counter", m.created.Load())
	one("limpet_executions_running", "gauge", m.running.Load())
	one("limpet_executions_interrupted_total", "counter", m.interrupted.Load())
	m.script.write(w, "limpet_execution_seconds")
	m.keep.write(w, "limpet_keep_seconds")
	m.mu.Lock()
	requests := maps.Clone(m.requests)
	m.mu.Unlock()
	fmt.Fprintln(w, "# TYPE limpet_requests_total counter")
	for r, n := range requests {
		fmt.Fprintf(w, "limpet_requests_total{operation=%q,status=\"%d\"} %d\n", r.operation, r.status, n)
	}
}
