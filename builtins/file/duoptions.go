package file

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/pattern"
	"github.com/limpet-sh/limpet/internal/walk"
	"github.com/limpet-sh/limpet/internal/zone"
)

// duFlags are options of du that others decide about.
type duFlags struct {
	depth    *int
	unit     *blockSize
	from     string
	excludes []string
}

func (o *duFlags) declare(f *builtins.Flags, d *duer) {
	f.Bool(&d.zero, "0,null", "end each output line with NUL, not newline")
	f.Bool(&d.all, "a,all", "write counts for all files, not just directories")
	f.Bool(&d.apparent, "apparent-size", "print apparent sizes, rather than disk usage")
	unit := func(b blockSize) func() error {
		return func() error { o.unit = &b; return nil }
	}
	f.Func("B", "scale sizes by `SIZE` before printing them", func(s string) error { return blockSizeOption(s, "-B", func(b blockSize) { o.unit = &b }) })
	blockSizeFlag(f, func(b blockSize) { o.unit = &b })
	f.Do("b,bytes", "equivalent to '--apparent-size --block-size=1'", func() error {
		d.apparent = true
		return unit(oneByte)()
	})
	f.Bool(&d.total, "c,total", "produce a grand total")
	follow := func(to walk.Follow) func() error {
		return func() error { d.follow = to; return nil }
	}
	f.Do("D,H,dereference-args", "dereference only symlinks that are listed on the command line", follow(walk.Operand))
	f.Func("d,max-depth", "print the total for a directory only if it is `N` or fewer levels below the command line argument", func(s string) error {
		n, err := strconv.ParseUint(s, 10, 31)
		if err != nil {
			return builtins.Usage("invalid maximum depth %s", builtins.QuoteLocale(s))
		}
		depth := int(n)
		o.depth = &depth
		return nil
	})
	f.String(&o.from, "files0-from", "summarize device usage of the NUL-terminated file names specified in file `F`")
	f.Do("h,human-readable", "print sizes in human readable format (e.g., 1K 234M 2G)", unit(humanSize))
	f.Bool(&d.inodes, "inodes", "list inode usage information instead of block usage")
	f.Do("k", "like --block-size=1K", unit(oneK))
	f.Do("L,dereference", "dereference all symbolic links", follow(walk.Always))
	f.Bool(&d.countLinks, "l,count-links", "count sizes many times if hard linked")
	f.Do("m", "like --block-size=1M", unit(blockSize{base: 1024, size: 1 << 20}))
	f.Do("P,no-dereference", "don't follow any symbolic links (this is the default)", follow(walk.Never))
	f.Bool(&d.separate, "S,separate-dirs", "for directories do not include size of subdirectories")
	f.Do("si", "like -h, but use powers of 1000 not 1024", unit(siSize))
	f.Bool(&d.summarize, "s,summarize", "display only a total for each argument")
	f.Func("t,threshold", "exclude entries smaller than `SIZE` if positive, or entries greater than SIZE if negative", d.setThreshold)
	f.Optional("time", "show time of the last modification of any file in the directory, or the time that `WORD` names", func(s string, ok bool) error {
		d.time = "mtime"
		if !ok {
			return nil
		}
		return builtins.Choose(&d.time, s, "time", []string{"atime,access,use", "ctime,status"})
	})
	f.String(&d.timeStyle, "time-style", "show times using `STYLE`: full-iso, long-iso, iso, or +FORMAT")
	f.Func("X,exclude-from", "exclude files that match any pattern in `FILE`", func(s string) error {
		data, err := d.c.FS.Open(s)
		if err != nil {
			return builtins.Usage("%s: %v", builtins.QuoteMaybe(s), reason(err))
		}
		defer data.Close()
		return o.excludeLines(d, data)
	})
	f.Strings(&o.excludes, "exclude", "exclude files that match `PATTERN`")
	f.Bool(&d.oneFS, "x,one-file-system", "skip directories on different file systems")
}

// excludeLines takes the patterns that a file lists.
func (o *duFlags) excludeLines(d *duer, r io.Reader) error {
	lines := d.c.Lines(r, '\n')
	defer lines.Close()
	for {
		line, err := lines.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		text, _ := builtins.TrimDelim(line, '\n')
		if len(text) > 0 {
			o.excludes = append(o.excludes, string(text))
		}
	}
}

func (d *duer) setThreshold(s string) error {
	text, negative := strings.CutPrefix(s, "-")
	n, err := parseSize(text, "kKmMGTPEZY0")
	if err != nil || negative && n == 0 {
		if negative && err == nil {
			return fmt.Errorf("invalid --threshold argument %s", builtins.Quote(s))
		}
		return fmt.Errorf("invalid -t argument %s", builtins.Quote(s))
	}
	if d.threshold = n; negative {
		d.threshold = -n
	}
	return nil
}

// settle completes the options, and fails where they contradict each other.
func (o *duFlags) settle(d *duer, names []string) error {
	if d.summarize && d.all {
		return builtins.Usage("cannot both summarize and show all entries")
	}
	if o.depth != nil {
		d.maxDepth = *o.depth
	}
	if d.summarize {
		switch {
		case o.depth != nil && *o.depth == 0:
			fmt.Fprintf(d.c.Stderr, "%s: warning: summarizing is the same as using --max-depth=0\n", d.c.Name)
		case o.depth != nil:
			return builtins.Usage("warning: summarizing conflicts with --max-depth=%d", *o.depth)
		}
		d.maxDepth = 0
	}
	if o.from != "" && len(names) > 0 {
		return builtins.Usage("extra operand %s\nfile operands cannot be combined with --files0-from", builtins.QuoteLocale(names[0]))
	}
	d.unit, _ = envBlockSize(d.c, "DU_BLOCK_SIZE")
	if o.unit != nil {
		d.unit = *o.unit
	}
	if d.inodes && !d.unit.auto {
		d.unit = oneByte
	}
	for _, p := range o.excludes {
		d.exclude = append(d.exclude, pattern.Compile(p, 0))
	}
	d.every = len(names) > 1 || o.from != "" || d.follow == walk.Always
	return o.settleTime(d)
}

func (o *duFlags) settleTime(d *duer) error {
	if d.time == "" {
		return nil
	}
	d.zone = zone.Load(d.c.Getenv("TZ"))
	if d.timeStyle == "" {
		d.timeStyle = d.c.Getenv("TIME_STYLE")
		if d.timeStyle == "locale" {
			d.timeStyle = ""
		}
		d.timeStyle = strings.TrimPrefix(d.timeStyle, "posix-")
	}
	switch {
	case d.timeStyle == "":
		d.timeStyle = "long-iso"
	case d.timeStyle[0] != '+':
		return builtins.ChooseAs(&d.timeStyle, d.timeStyle, "time style", []string{"full-iso", "long-iso", "iso"})
	}
	return nil
}
