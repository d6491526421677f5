package limpet_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/limits"
	"github.com/stretchr/testify/require"
)

// bombs are hostile commands that are no plain line of [hostile]. The first line of
// each is its name.
var bombs = []string{
	"jq: 1e9 times x\n" + `jq -n '"x" * 1e9'`,
	"jq: 1e9 times x, again\n" + `while :; do jq -n '"x" * 1e9'; done`,
	"a regex bomb under -P\n" + `while :; do grep -P '(x+x+)+y' <<< "$(printf 'x%.0s' {1..200})"; done`,
	"a regex bomb under -P on a line of 16 MB\n" + `head -c 16M /dev/zero | tr '\0' x > line; while :; do grep -P '(x+x+)+y' line; done`,
	"100,000 brackets into jq\n" + `printf '[%.0s' {1..100000} > f; while :; do jq . f; done`,
	"100,000 brackets into yq\n" + `printf '[%.0s' {1..100000} > f; while :; do yq . f; done`,
	"100,000 brackets as a program of jq\n" + `p=$(printf '[%.0s' {1..100000}); while :; do jq -n "$p"; done`,
	"100,000 brackets as a program of yq\n" + `p=$(printf '[%.0s' {1..100000}); while :; do yq -n "$p"; done`,
	"a bomb of gzip\n" + `head -c 256M /dev/zero | gzip > z; while :; do gunzip -c z > /dev/null; done`,
	"a bomb of bzip2\n" + `head -c 16M /dev/zero | bzip2 > z; while :; do bunzip2 -c z > /dev/null; done`,
	"a bomb of xz\n" + `head -c 16M /dev/zero | xz > z; while :; do unxz -c z > /dev/null; done`,
	"a bomb of zip\n" + `head -c 16M /dev/zero > f; zip -q z f; while :; do unzip -p z; done > /dev/null`,
	"a bomb of zip into the file system\n" + `head -c 16M /dev/zero > f; zip -q z f; mv f g; while :; do unzip -qo z; rm -f f; done`,
	"a bomb of tar\n" + `head -c 16M /dev/zero > f; tar czf z f; while :; do tar xzOf z; done > /dev/null`,
}

// An outcome is how a hostile command ended.
type outcome struct {
	name  string
	delay time.Duration // after the deadline
	heap  uint64        // more than before
	line  string        // the last of standard error
}

// outlive runs a hostile command, which is told by its name and its script, for as long as is
// allowed.
func outlive(b *testing.B, command [2]string, allowed time.Duration) outcome {
	sh := newShell(b, limpet.Config{Limits: limits.Limits{Time: allowed, Memory: 64 << 20, Storage: 64 << 20, Output: 64 << 20}})
	runtime.GC()
	before, stop, start := heap(), sampleHeap(), time.Now()
	res, err := sh.Exec(context.Background(), limpet.Request{Script: command[1]})
	delay := time.Since(start) - allowed
	peak := stop()
	require.NoError(b, err)
	text := bytes.TrimSuffix(res.Stderr, []byte("\n"))
	line := text[bytes.LastIndexByte(text, '\n')+1:]
	return outcome{command[0], delay, max(peak, before) - before, string(line[:min(len(line), 70)])}
}

// BenchmarkHostile reports how long after its deadline hostile commands end, and the most
// memory that one of them takes in the process: it names the slowest and the largest.
func BenchmarkHostile(b *testing.B) {
	const allowed = 300 * time.Millisecond
	var scripts [][2]string
	for line := range strings.Lines(strings.TrimPrefix(hostile, "\n")) {
		scripts = append(scripts, [2]string{strings.TrimSpace(line), line})
	}
	for _, text := range bombs {
		name, script, _ := strings.Cut(text, "\n")
		scripts = append(scripts, [2]string{name, script})
	}
	for b.Loop() {
		var all []outcome
		for _, s := range scripts {
			var runs []outcome
			for range 3 { // so that what another program does to one of them is not counted
				runs = append(runs, outlive(b, s, allowed))
			}
			slices.SortFunc(runs, func(x, y outcome) int { return int(x.delay - y.delay) })
			all = append(all, runs[1])
		}
		slices.SortFunc(all, func(x, y outcome) int { return int(x.delay - y.delay) })
		for _, o := range all {
			fmt.Printf("%8.1f ms %6d MiB  %-42.42s  %s\n", ms(o.delay), o.heap>>20, o.name, o.line)
		}
		b.ReportMetric(ms(all[len(all)-1].delay), "ms-max")
		b.ReportMetric(ms(all[len(all)/2].delay), "ms-p50")
		largest := slices.MaxFunc(all, func(x, y outcome) int { return int(x.heap) - int(y.heap) })
		b.ReportMetric(float64(largest.heap>>20), "MiB-max")
	}
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }

// heap returns how much memory objects of the heap take, those included that are garbage.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// sampleHeap looks at the heap again and again until the function that it returns is
// called, which returns the most that there was.
func sampleHeap() (stop func() uint64) {
	done, peak := make(chan bool), make(chan uint64)
	go func() {
		most := heap()
		for {
			select {
			case <-done:
				peak <- max(most, heap())
				return
			case <-time.After(2 * time.Millisecond):
				most = max(most, heap())
			}
		}
	}()
	return func() uint64 { close(done); return <-peak }
}
