package system

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/builtins"
)

var ps = commands.Add(&builtins.Command{
	Name:     "ps",
	Synopsis: "[options]",
	Summary:  "report a snapshot of the current processes",
	Run:      runPs,
})

// A psColumn is a column of ps.
type psColumn struct {
	keys   string // what -o calls it
	header string
	width  int // negative for text, which is aligned to the left
	value  func(*psView, builtins.Process) string
}

// A psView is what columns may look at beside the process.
type psView struct {
	call *builtins.Call
	now  time.Time
}

// psColumns has the columns. The memory of a single process is not known: all
// share one budget.
var psColumns = []psColumn{
	{"pid", "PID", 5, func(_ *psView, p builtins.Process) string { return strconv.Itoa(p.PID) }},
	{"ppid", "PPID", 5, func(_ *psView, p builtins.Process) string { return strconv.Itoa(p.PPID) }},
	{"pgid pgrp sid sess", "PGID", 5, func(_ *psView, p builtins.Process) string { return strconv.Itoa(p.PGID) }},
	{"user uname euser ruser", "USER", -8, func(v *psView, _ builtins.Process) string { return v.call.User.Name }},
	{"group egroup rgroup", "GROUP", -8, func(v *psView, _ builtins.Process) string { return v.call.User.Group }},
	{"uid euid ruid", "UID", 5, func(v *psView, _ builtins.Process) string { return strconv.Itoa(v.call.User.UID) }},
	{"comm ucmd ucomm", "COMMAND", -15, func(_ *psView, p builtins.Process) string { return processName(p) }},
	{"args command", "COMMAND", -27, func(_ *psView, p builtins.Process) string { return p.Command }},
	{"cmd", "CMD", -27, func(_ *psView, p builtins.Process) string { return p.Command }},
	{"tty tt", "TT", -8, func(*psView, builtins.Process) string { return "?" }},
	{"tname", "TTY", -8, func(*psView, builtins.Process) string { return "?" }},
	{"time cputime", "TIME", 8, func(_ *psView, p builtins.Process) string { return clockTime(p.CPU) }},
	{"etime", "ELAPSED", 11, func(v *psView, p builtins.Process) string { return elapsedTime(v.now.Sub(p.Start)) }},
	{"etimes", "ELAPSED", 7, func(v *psView, p builtins.Process) string {
		return strconv.Itoa(int(v.now.Sub(p.Start).Seconds()))
	}},
	{"stat", "STAT", -4, func(_ *psView, p builtins.Process) string { return string(rune(p.State)) }},
	{"state s", "S", -1, func(_ *psView, p builtins.Process) string { return string(rune(p.State)) }},
	{"start", "STARTED", 8, func(v *psView, p builtins.Process) string { return p.Start.In(v.now.Location()).Format("15:04:05") }},
	{"stime start_time", "STIME", 5, func(v *psView, p builtins.Process) string { return p.Start.In(v.now.Location()).Format("15:04") }},
	{"lstart", "STARTED", 24, func(v *psView, p builtins.Process) string {
		return p.Start.In(v.now.Location()).Format("Mon Jan _2 15:04:05 2006")
	}},
	{"pcpu %cpu", "%CPU", 4, func(v *psView, p builtins.Process) string {
		return fmt.Sprintf("%.1f", 100*p.CPU.Seconds()/max(v.now.Sub(p.Start).Seconds(), 0.01))
	}},
	{"pmem %mem", "%MEM", 4, func(*psView, builtins.Process) string { return "0.0" }},
	{"vsz vsize", "VSZ", 6, func(*psView, builtins.Process) string { return "0" }},
	{"rss rssize rsz", "RSS", 5, func(*psView, builtins.Process) string { return "0" }},
	{"ni nice", "NI", 3, func(*psView, builtins.Process) string { return "0" }},
	{"pri", "PRI", 3, func(*psView, builtins.Process) string { return "19" }},
	{"c", "C", 2, func(*psView, builtins.Process) string { return "0" }},
}

// The columns of the usual formats; key=HEADER as in -o.
var (
	psPlain = []string{"pid", "tname", "time", "ucmd=CMD"}
	psFull  = []string{"user=UID", "pid", "ppid", "c", "stime", "tname", "time", "cmd"}
	psUser  = []string{"user", "pid", "%cpu", "%mem", "vsz", "rss", "tname", "stat", "start_time=START", "bsdtime=TIME", "args"}
	psBSD   = []string{"pid", "tname", "stat", "bsdtime=TIME", "args"}
)

// processName returns the name of the program that a process runs.
func processName(p builtins.Process) string {
	word, _, _ := strings.Cut(p.Command, " ")
	name := path.Base(word)
	return name[:min(len(name), 15)]
}

func clockTime(d time.Duration) string {
	s := int(d.Seconds())
	return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
}

func elapsedTime(d time.Duration) string {
	s := int(d.Seconds())
	switch {
	case s >= 86400:
		return fmt.Sprintf("%02d-%02d:%02d:%02d", s/86400, s/3600%24, s/60%60, s%60)
	case s >= 3600:
		return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%02d:%02d", s/60, s%60)
}

// A psQuery is which processes are shown, and how.
type psQuery struct {
	columns  []string
	pids     []int
	parents  []int
	names    []string
	all      bool // not those with the terminal of the caller only: there is none
	bare     bool // no headers
	sortKeys []string
}

func runPs(ctx context.Context, c *builtins.Call) error {
	var q psQuery
	var full, user, bsd bool
	if c.FS != nil {
		c.Args, user, bsd = bsdOptions(c.Args)
	}
	f := c.Flags()
	f.Info("", "V")
	f.Do("A", "all processes", func() error { q.all = true; return nil })
	f.Do("e", "all processes", func() error { q.all = true; return nil })
	f.Do("a", "all with a terminal, except session leaders", func() error { q.all = true; return nil })
	f.Do("d", "all processes except session leaders", func() error { q.all = true; return nil })
	f.Bool(&full, "f", "full-format listing")
	f.Func("o,format", "user-defined `format`", func(s string) error {
		q.columns = append(q.columns, splitColumns(s)...)
		return nil
	})
	numbers := func(list *[]int) func(string) error {
		return func(s string) error {
			for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ',' || r == ' ' }) {
				n, err := strconv.Atoi(word)
				if err != nil {
					return fmt.Errorf("process ID list syntax error")
				}
				*list = append(*list, n)
			}
			q.all = true
			return nil
		}
	}
	f.Func("p,pid,q,quick-pid", "`pids` of the processes to show", numbers(&q.pids))
	f.Func("ppid", "parent process id `pids`", numbers(&q.parents))
	f.Func("C", "command `names`", func(s string) error {
		q.names = append(q.names, strings.Split(s, ",")...)
		return nil
	})
	f.Func("u,user,U,User", "`users`", func(string) error { q.all = true; return nil })
	f.Bool(&q.bare, "no-headers,no-heading,no-headings,noheaders", "do not print header at all")
	f.Func("sort", "specify sorting order as: [+|-]`key`[,[+|-]key[,...]]", func(s string) error {
		q.sortKeys = strings.Split(s, ",")
		return nil
	})
	f.Bool(&q.all, "w", "wide output; all output is")
	if _, err := f.Parse(); err != nil {
		return err
	}
	switch {
	case len(q.columns) > 0:
	case full:
		q.columns = psFull
	case user:
		q.columns = psUser
	case bsd:
		q.columns = psBSD
	default:
		q.columns = psPlain
	}
	return q.run(c)
}

// bsdOptions takes an argument such as aux, whose letters have no dash.
func bsdOptions(args []string) (rest []string, user, bsd bool) {
	for i, arg := range args {
		if arg != "" && arg[0] != '-' && strings.Trim(arg, "auxwfeh") == "" && (i == 0 || args[i-1] == "" || args[i-1][0] == '-' && len(args[i-1]) == 2 && strings.IndexByte("opCuUq", args[i-1][1]) < 0) {
			rest = append(append(rest, args[:i]...), args[i+1:]...)
			return rest, strings.Contains(arg, "u"), true
		}
	}
	return args, false, false
}

// splitColumns divides the value of -o. A header given with = is all that
// follows.
func splitColumns(s string) []string {
	var list []string
	for s != "" {
		end := strings.IndexAny(s, ", =")
		if end < 0 || s[end] == '=' {
			return append(list, s)
		}
		if end > 0 {
			list = append(list, s[:end])
		}
		s = s[end+1:]
	}
	return list
}

func findColumn(key string) (psColumn, bool) {
	key, header, renamed := strings.Cut(key, "=")
	if key == "bsdtime" {
		return psColumn{header: header, width: 6, value: func(_ *psView, p builtins.Process) string {
			s := int(p.CPU.Seconds())
			return fmt.Sprintf("%d:%02d", s/60, s%60)
		}}, true
	}
	for _, col := range psColumns {
		if slices.Contains(strings.Fields(col.keys), key) {
			if renamed {
				col.header = header
			}
			return col, true
		}
	}
	return psColumn{}, false
}

func (q *psQuery) run(c *builtins.Call) error {
	var columns []psColumn
	for _, key := range q.columns {
		col, ok := findColumn(key)
		if !ok {
			return fmt.Errorf("error: unknown user-defined format specifier \"%s\"", key)
		}
		columns = append(columns, col)
	}
	v := &psView{c, localTime(c)}
	list := slices.DeleteFunc(slices.Clone(c.Processes.List()), func(p builtins.Process) bool { return !q.shows(p) })
	q.sort(v, list)
	w := bufio.NewWriter(c.Stdout)
	headed := slices.ContainsFunc(columns, func(col psColumn) bool { return col.header != "" })
	if headed && !q.bare {
		printRow(w, columns, func(col psColumn) string { return col.header })
	}
	for _, p := range list {
		if err := c.Poll(1); err != nil {
			return err
		}
		printRow(w, columns, func(col psColumn) string { return col.value(v, p) })
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(list) == 0 {
		return builtins.Exit(1)
	}
	return nil
}

// shows reports whether p is one of the processes that were asked for.
func (q *psQuery) shows(p builtins.Process) bool {
	if len(q.pids)+len(q.parents)+len(q.names) == 0 {
		return true
	}
	return slices.Contains(q.pids, p.PID) || slices.Contains(q.parents, p.PPID) || slices.Contains(q.names, processName(p))
}

func (q *psQuery) sort(v *psView, list []builtins.Process) {
	for _, key := range slices.Backward(q.sortKeys) {
		down := strings.HasPrefix(key, "-")
		col, ok := findColumn(strings.TrimLeft(key, "+-"))
		if !ok {
			continue
		}
		slices.SortStableFunc(list, func(a, b builtins.Process) int {
			x, y := col.value(v, a), col.value(v, b)
			n := strings.Compare(x, y)
			if i, err := strconv.ParseFloat(x, 64); err == nil {
				if k, err := strconv.ParseFloat(y, 64); err == nil {
					n = cmp.Compare(i, k)
				}
			}
			if down {
				return -n
			}
			return n
		})
	}
}

// printRow prints the cells of a row; nothing pads the last of them.
func printRow(w *bufio.Writer, columns []psColumn, cell func(psColumn) string) {
	for i, col := range columns {
		if i > 0 {
			w.WriteByte(' ')
		}
		width := col.width
		if width < 0 && i == len(columns)-1 {
			width = 0
		}
		fmt.Fprintf(w, "%*s", width, cell(col))
	}
	w.WriteByte('\n')
}
