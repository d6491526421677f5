// Command bench runs the scripts of this directory in limpet, in bash and in
// the interpreter of mvdan.cc/sh, side by side, and prints how long each took; and
// in limpet without limits, to show what those cost.
//
//	go run ./bench [-n RUNS] [-alone] [NAME...]
//	go run ./bench -filters [-n RUNS] [-size MEGABYTES] [NAME...]
//
// With -filters it compares commands that read a large file instead: those of
// limpet, and the host's.
//
// They take turns, so that a machine that is sometimes slower is so for all
// of them; the figures are medians. limpet runs in this process with a new shell
// for every run; the others are processes, whose start counts. The scripts are
// such that it does not matter.
package main

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/limits"
)

//go:embed scripts/*.sh
var scripts embed.FS

// A runner runs a script and returns what it prints.
type runner struct {
	name string
	run  func(script string) ([]byte, error)
	once bool // one run is enough to see how slow it is
}

func main() {
	runs := flag.Int("n", 5, "runs of each script")
	large := flag.Bool("filters", false, "compare commands on a large file, not scripts")
	alone := flag.Bool("alone", false, "leave out other shells")
	size := flag.Int("size", 100, "with -filters, megabytes of the file")
	flag.Parse()
	if *large {
		if err := compareFilters(flag.Args(), *runs, *size); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	runners := []runner{{name: "limpet", run: runLimpet}, {name: "unlimited", run: runUnlimited}}
	if p, err := exec.LookPath("bash"); err == nil && !*alone {
		runners = append(runners, runner{name: "bash", run: process(p)})
	}
	if !*alone {
		if p, err := buildGosh(); err == nil {
			defer os.RemoveAll(filepath.Dir(p))
			runners = append(runners, runner{name: "gosh", run: process(p), once: true})
		} else {
			fmt.Fprintln(os.Stderr, "bench: no gosh:", err)
		}
	}
	names := flag.Args()
	if len(names) == 0 {
		list, _ := fs.Glob(scripts, "scripts/*.sh")
		for _, f := range list {
			names = append(names, strings.TrimSuffix(path.Base(f), ".sh"))
		}
	}
	fmt.Printf("%-14s", "script")
	for _, r := range runners {
		fmt.Printf("%12s", r.name)
	}
	for _, r := range runners[1:] {
		fmt.Printf("%14s", "vs "+r.name)
	}
	fmt.Println()
	for _, name := range names {
		if err := compare(name, runners, *runs); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
	}
}

// compare runs one script in all runners in turn.
func compare(name string, runners []runner, runs int) error {
	src, err := scripts.ReadFile("scripts/" + name + ".sh")
	if err != nil {
		return err
	}
	times := make([][]time.Duration, len(runners))
	wrong := make([]string, len(runners))
	var want []byte
	for range runs {
		for i, r := range runners {
			if r.once && len(times[i]) > 0 {
				continue
			}
			start := time.Now()
			out, err := r.run(string(src))
			times[i] = append(times[i], time.Since(start))
			switch {
			case err != nil:
				wrong[i] = err.Error()
			case i == 0 || want == nil:
				want = out
			case !bytes.Equal(out, want):
				wrong[i] = "wrong output"
			}
		}
	}
	fmt.Printf("%-14s", name)
	for i := range runners {
		if wrong[i] != "" {
			fmt.Printf("%12s", "failed")
			continue
		}
		fmt.Printf("%9.1f ms", ms(median(times[i])))
	}
	for i := range runners[1:] {
		if wrong[i+1] != "" {
			fmt.Printf("%14s", "-")
			continue
		}
		fmt.Printf("%13.2fx", ms(median(times[i+1]))/ms(median(times[0])))
	}
	fmt.Println()
	if wrong[0] != "" {
		return fmt.Errorf("%s: limpet: %s", name, wrong[0])
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func median[T cmp.Ordered](list []T) T {
	slices.Sort(list)
	return list[len(list)/2]
}

func runLimpet(script string) ([]byte, error) { return runWith(limits.Limits{}, script) }

func runUnlimited(script string) ([]byte, error) {
	l, err := limits.Profile("unlimited")
	if err != nil {
		return nil, err
	}
	return runWith(l, script)
}

func runWith(l limits.Limits, script string) ([]byte, error) {
	sh, err := limpet.New(limpet.Config{Limits: l})
	if err != nil {
		return nil, err
	}
	defer sh.Close()
	res, err := sh.Exec(context.Background(), limpet.Request{Script: script})
	switch {
	case err != nil:
		return nil, err
	case res.Stopped != nil:
		return nil, res.Stopped
	case res.Status != 0:
		return nil, fmt.Errorf("status %d: %s", res.Status, res.Stderr)
	}
	return res.Stdout, nil
}

// process returns a runner for a shell of the host.
func process(shell string) func(string) ([]byte, error) {
	return func(script string) ([]byte, error) {
		dir, err := os.MkdirTemp("", "bench")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		cmd := exec.Command(shell, "-c", script)
		cmd.Dir = dir
		return cmd.Output()
	}
}

// buildGosh builds the shell of mvdan.cc/sh, the version that this module uses.
func buildGosh() (string, error) {
	dir, err := os.MkdirTemp("", "gosh")
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "gosh")
	out, err := exec.Command("go", "build", "-o", bin, "mvdan.cc/sh/v3/cmd/gosh").CombinedOutput()
	if err != nil {
		return "", errors.New(strings.TrimSpace(string(out)))
	}
	return bin, nil
}
