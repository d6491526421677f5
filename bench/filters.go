package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A filter is a command that reads a large file, with what it is compared with
// where that has another name.
type filter struct {
	name   string
	script string
	host   string // the program in place of the script's first word
	free   bool   // the output may differ: it is one of many that are right
}

// filters are the commands that the table of [compareFilters] has. They read
// log, lines of a service, and objects, one JSON object a line.
var filters = []filter{
	{name: "cat", script: "cat log"},
	{name: "wc", script: "wc log"},
	{name: "wc -l", script: "wc -l log"},
	{name: "sort", script: "sort log"},
	{name: "sort -n", script: "sort -n numbers"},
	{name: "sort -k", script: "sort -k 4,4 -k 6n log"},
	{name: "uniq", script: "uniq levels"},
	{name: "uniq -c", script: "uniq -c levels"},
	{name: "cut -c", script: "cut -c 1-24,40- log"},
	{name: "cut -f", script: "cut -d ' ' -f 2,4-5 log"},
	{name: "tr a-z A-Z", script: "tr a-z A-Z <log"},
	{name: "tr -d", script: "tr -d aeiou <log"},
	{name: "tr -s", script: "tr -cs a-zA-Z '\\n' <log"},
	{name: "grep ERROR", script: "grep ERROR log"},
	{name: "grep -E", script: "grep -E '[a-z]+ing [0-9]+' log"},
	{name: "grep -c", script: "grep -c ERROR log"},
	{name: "grep -i", script: "grep -i warn log"},
	{name: "grep -v", script: "grep -v INFO log"},
	{name: "grep -o", script: "grep -o 'user=[a-z]*' log"},
	{name: "sed s", script: "sed s/foo/bar/g log"},
	{name: "sed -n p", script: "sed -n /timeout/p log"},
	{name: "awk sum", script: `awk '{s += $6} END {printf "%.0f\n", s}' log`, host: "mawk"},
	{name: "awk -F,", script: "awk -F, '{print $1}' log", host: "mawk"},
	{name: "awk count", script: `awk '{a[$4]++} END {print a["api"]}' log`, host: "mawk"},
	{name: "awk pattern", script: "awk '/timeout/ {print $1, $NF}' log", host: "mawk"},
	{name: "tail -n", script: "tail -n 100000 log"},
	{name: "head -n", script: "head -n 500000 log"},
	{name: "gzip", script: "gzip -c log", free: true},
	{name: "gunzip", script: "gunzip -c log.gz"},
	{name: "sha256sum", script: "sha256sum log"},
	{name: "md5sum", script: "md5sum log"},
	{name: "base64", script: "base64 log"},
	{name: "jq field", script: "jq .id objects"},
	{name: "jq -c", script: "jq -c '{id, name: .user.name, n: (.tags | length)}' objects"},
	{name: "jq select", script: "jq -r 'select(.score > 90) | .user.name' objects"},
	{name: "jq .", script: "jq . objects"},
}

// compareFilters prints how long the named filters, or all, take in limpet and
// in the programs of the host on files of the given size. They take turns on
// one processor, and write to a pipe that cat reads.
func compareFilters(names []string, runs, megabytes int) error {
	dir, err := os.MkdirTemp("", "filters")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	data := filepath.Join(dir, "data")
	if err := writeData(data, megabytes<<20); err != nil {
		return err
	}
	limpet := filepath.Join(dir, "limpet")
	if out, err := exec.Command("go", "build", "-o", limpet, "github.com/limpet-sh/limpet/cmd/limpet").CombinedOutput(); err != nil {
		return errors.New(strings.TrimSpace(string(out)))
	}
	fmt.Printf("%-14s%11s%11s%12s%12s\n", "filter", "limpet", "host", "time ratio", "cpu ratio")
	var ratios []float64
	for _, f := range filters {
		if len(names) > 0 && !slices.Contains(names, f.name) {
			continue
		}
		ratio, err := f.compare(data, limpet, runs)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		ratios = append(ratios, ratio)
	}
	if len(ratios) > 0 {
		faster := len(slices.DeleteFunc(slices.Clone(ratios), func(r float64) bool { return r >= 1 }))
		fmt.Printf("%d of %d faster than the host's; slowest %.2f\n", faster, len(ratios), slices.Max(ratios))
	}
	return nil
}

// compare prints the row of f: the medians of both sides, and those of the
// ratios of runs that follow each other. It returns that of the times.
func (f *filter) compare(data, limpet string, runs int) (float64, error) {
	sides := [2][]string{{limpet, "run", "--dir", ".", "-c", f.script}, {"sh", "-c", f.hostScript()}}
	var sums [2][]byte
	for i, argv := range sides {
		cmd := exec.Command(argv[0], argv[1:]...)
		sum := sha256.New()
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = data, filterEnv(), sum, os.Stderr
		if err := cmd.Run(); err != nil {
			return 0, fmt.Errorf("%s: %w", argv[0], err)
		}
		sums[i] = sum.Sum(nil)
	}
	if !f.free && !bytes.Equal(sums[0], sums[1]) {
		return 0, errors.New("the outputs differ")
	}
	var wall [2][]time.Duration
	var times, cpus []float64
	for range runs {
		var elapsed, cpu [2]time.Duration
		for i, argv := range sides {
			var err error
			if elapsed[i], cpu[i], err = timePiped(data, argv); err != nil {
				return 0, err
			}
			wall[i] = append(wall[i], elapsed[i])
		}
		times = append(times, float64(elapsed[0])/float64(elapsed[1]))
		cpus = append(cpus, float64(cpu[0])/float64(cpu[1]))
	}
	ratio := median(times)
	fmt.Printf("%-14s%8.0f ms%8.0f ms%12.2f%12.2f\n", f.name, ms(median(wall[0])), ms(median(wall[1])), ratio, median(cpus))
	return ratio, nil
}

func (f *filter) hostScript() string {
	if f.host == "" {
		return "exec " + f.script
	}
	_, rest, _ := strings.Cut(f.script, " ")
	return "exec " + f.host + " " + rest
}

// timePiped runs argv on the first processor with its output to cat, and returns
// how long that took, and how much of a processor.
func timePiped(dir string, argv []string) (elapsed, cpu time.Duration, err error) {
	cmd := exec.Command("taskset", append([]string{"-c", "0", "sh", "-c", `"$@" | cat >/dev/null`, "sh"}, argv...)...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, filterEnv(), os.Stderr
	start := time.Now()
	err = cmd.Run()
	elapsed = time.Since(start)
	if err == nil {
		// What the shell has waited for is counted with it.
		cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return elapsed, cpu, err
}

// filterEnv is the environment of both sides: the locale is limpet's.
func filterEnv() []string { return append(os.Environ(), "LC_ALL=C.UTF-8") }
