package fuzz

import (
	"bytes"
	"context"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// labels counts the runs that are told apart by their labels.
var labels atomic.Uint64

// labelName is the name of the label of goroutines that a run has started.
const labelName = "limpet-fuzz"

// labelled starts f on a goroutine, and returns the label of all goroutines that come
// of it.
func labelled(f func()) (label string) {
	label = strconv.FormatUint(labels.Add(1), 10)
	go pprof.Do(context.Background(), pprof.Labels(labelName, label), func(context.Context) { f() })
	return label
}

// leaving is how long goroutines may take to end when a sandbox is closed.
const leaving = 3 * time.Second

// leftOf returns the stacks of goroutines with a label that do not end; "" where there
// are none.
func leftOf(label string) string {
	for pause, end := time.Duration(0), time.Now().Add(leaving); ; pause += time.Millisecond {
		var profile bytes.Buffer
		_ = pprof.Lookup("goroutine").WriteTo(&profile, 1) // a buffer takes everything
		left := ofLabel(profile.String(), label)
		if left == "" || time.Now().After(end) {
			return left
		}
		time.Sleep(pause)
	}
}

// shared are functions of goroutines that serve the whole process, whoever was the first
// to need them.
var shared = []string{"regexp2/v2.runClock", "limpet.(*Guard).watch"}

// ofLabel returns the stacks of a goroutine profile that have a label.
func ofLabel(profile, label string) string {
	var left []string
	want := `"` + labelName + `":"` + label + `"`
next:
	for stack := range strings.SplitSeq(profile, "\n\n") {
		if !strings.Contains(stack, want) {
			continue
		}
		for _, name := range shared {
			if strings.Contains(stack, name) {
				continue next
			}
		}
		left = append(left, stack)
	}
	return strings.Join(left, "\n\n")
}
