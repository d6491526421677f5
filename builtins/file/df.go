package file

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "df",
	Synopsis: "[OPTION]... [FILE]...",
	Summary:  "report file system space usage",
	Run:      runDf,
})

// A dfColumn is a column of df's table.
type dfColumn struct {
	name  string // as --output has it
	title string
	width int // at least
	left  bool
	value func(*dfer, *dfRow) string
}

// A dfRow is a file system in the table, or the total of all.
type dfRow struct {
	vfs.StatFS
	file  string
	total bool
}

// dfColumns are the columns in the order of --output without a list.
var dfColumns = []dfColumn{
	{"source", "Filesystem", 14, true, func(_ *dfer, r *dfRow) string { return r.Source }},
	{"fstype", "Type", 4, true, func(_ *dfer, r *dfRow) string { return r.Type }},
	{"itotal", "Inodes", 5, false, func(d *dfer, r *dfRow) string { return d.count(r.Files) }},
	{"iused", "IUsed", 5, false, func(d *dfer, r *dfRow) string { return d.count(r.Files - r.FilesFree) }},
	{"iavail", "IFree", 5, false, func(d *dfer, r *dfRow) string { return d.count(r.FilesFree) }},
	{"ipcent", "IUse%", 4, false, func(_ *dfer, r *dfRow) string { return percent(r.Files, r.FilesFree) }},
	{"size", "", 5, false, func(d *dfer, r *dfRow) string { return d.blocks(r, r.Blocks) }},
	{"used", "Used", 5, false, func(d *dfer, r *dfRow) string { return d.blocks(r, r.Blocks-r.Free) }},
	{"avail", "Avail", 5, false, func(d *dfer, r *dfRow) string { return d.blocks(r, r.Free) }},
	{"pcent", "Use%", 4, false, func(_ *dfer, r *dfRow) string { return percent(r.Blocks, r.Free) }},
	{"file", "File", 0, true, func(_ *dfer, r *dfRow) string { return r.file }},
	{"target", "Mounted on", 0, true, func(_ *dfer, r *dfRow) string { return r.Point }},
}

// A dfer is df with its options.
type dfer struct {
	c            *builtins.Call
	unit         blockSize
	columns      []dfColumn
	all          bool
	inodes       bool
	posix        bool
	showType     bool
	total        bool
	output       bool
	outputFields []string
	only, except []string
}

func runDf(_ context.Context, c *builtins.Call) error {
	d := &dfer{c: c}
	d.unit, _ = envBlockSize(c, "DF_BLOCK_SIZE")
	f := c.Flags()
	d.flags(f)
	names, err := f.Parse()
	if err != nil {
		return err
	}
	if err := d.check(); err != nil {
		return f.Fail(err)
	}
	d.columns = d.layout()
	rows := d.rows(names)
	if len(rows) == 0 {
		if c.Failed() {
			return nil
		}
		return errors.New("no file systems processed")
	}
	if d.total {
		rows = append(rows, sumRows(rows))
	}
	return d.print(rows)
}

func (d *dfer) flags(f *builtins.Flags) {
	unit := func(b blockSize) func() error {
		return func() error { d.unit = b; return nil }
	}
	f.Bool(&d.all, "a,all", "include pseudo, duplicate, inaccessible file systems")
	f.Func("B", "scale sizes by `SIZE` before printing them", func(s string) error { return blockSizeOption(s, "-B", func(b blockSize) { d.unit = b }) })
	blockSizeFlag(f, func(b blockSize) { d.unit = b })
	f.Do("h,human-readable", "print sizes in powers of 1024 (e.g., 1023M)", unit(humanSize))
	f.Do("H,si", "print sizes in powers of 1000 (e.g., 1.1G)", unit(siSize))
	f.Bool(&d.inodes, "i,inodes", "list inode information instead of block usage")
	f.Do("k", "like --block-size=1K", unit(oneK))
	f.Do("m", "like --block-size=1M", unit(blockSize{base: 1024, size: 1 << 20}))
	f.Do("l,local", "limit listing to local file systems, which all are", func() error { return nil })
	f.Do("no-sync", "do not invoke sync before getting usage info (default)", func() error { return nil })
	f.Do("sync", "invoke sync before getting usage info, which changes nothing", func() error { return nil })
	f.Optional("output", "use the output format defined by `FIELD_LIST`, or print all fields", func(s string, ok bool) error {
		d.output = true
		if ok {
			return d.addFields(s)
		}
		return nil
	})
	f.Bool(&d.posix, "P,portability", "use the POSIX output format")
	f.Bool(&d.total, "total", "elide all entries insignificant to available space, and produce a grand total")
	f.Strings(&d.only, "t,type", "limit listing to file systems of type `TYPE`")
	f.Bool(&d.showType, "T,print-type", "print file system type")
	f.Strings(&d.except, "x,exclude-type", "limit listing to file systems not of type `TYPE`")
	f.Do("v", "(ignored, as System V has it)", func() error { return nil })
}

func (d *dfer) addFields(list string) error {
	for name := range strings.SplitSeq(list, ",") {
		known := slices.ContainsFunc(dfColumns, func(c dfColumn) bool { return c.name == name })
		switch {
		case !known:
			return builtins.Usage("option --output: field %s unknown", builtins.QuoteLocale(name))
		case slices.Contains(d.outputFields, name):
			return builtins.Usage("option --output: field %s used more than once", builtins.QuoteLocale(name))
		}
		d.outputFields = append(d.outputFields, name)
	}
	return nil
}

func (d *dfer) check() error {
	for _, o := range []struct {
		set  bool
		name string
	}{{d.inodes, "-i"}, {d.posix, "-P"}, {d.showType, "-T"}} {
		if o.set && d.output {
			return builtins.Usage("options %s and --output are mutually exclusive", o.name)
		}
	}
	for _, t := range d.only {
		if slices.Contains(d.except, t) {
			return fmt.Errorf("file system type %s both selected and excluded", builtins.QuoteLocale(t))
		}
	}
	return nil
}

// layout returns the columns that the options ask for, with their titles.
func (d *dfer) layout() []dfColumn {
	names := []string{"source", "size", "used", "avail", "pcent", "target"}
	switch {
	case d.outputFields != nil:
		names = d.outputFields
	case d.output:
		names = nil
		for _, c := range dfColumns {
			names = append(names, c.name)
		}
	case d.inodes:
		names = []string{"source", "itotal", "iused", "iavail", "ipcent", "target"}
	}
	if d.showType {
		names = slices.Insert(names, 1, "fstype")
	}
	var columns []dfColumn
	for _, name := range names {
		c := dfColumns[slices.IndexFunc(dfColumns, func(c dfColumn) bool { return c.name == name })]
		switch posix := d.posix && !d.unit.auto; {
		case name == "size":
			c.title = d.sizeTitle()
		case name == "avail" && !d.output && !d.unit.auto:
			c.title = "Available"
		case name == "pcent" && posix:
			c.title = "Capacity"
		}
		columns = append(columns, c)
	}
	return columns
}

func (d *dfer) sizeTitle() string {
	switch {
	case d.unit.auto:
		return "Size"
	case d.posix:
		return fmt.Sprintf("%d-blocks", d.unit.size)
	}
	return d.unit.title() + "-blocks"
}

// rows returns the file systems to be shown: those of the named files, or all.
func (d *dfer) rows(names []string) (rows []dfRow) {
	if len(names) > 0 {
		for _, name := range names {
			system, err := d.c.FS.StatFS(name)
			if err != nil {
				d.c.Warn(builtins.FileError(name, err))
				continue
			}
			if d.selected(system.Type) {
				rows = append(rows, dfRow{StatFS: system, file: name})
			}
		}
		return rows
	}
	for _, point := range d.mounts() {
		system, err := d.c.FS.StatFS(point)
		if err != nil {
			d.c.Warn(builtins.FileError(point, err))
			continue
		}
		if d.selected(system.Type) && (d.all || system.Blocks > 0) {
			rows = append(rows, dfRow{StatFS: system, file: "-"})
		}
	}
	return rows
}

func (d *dfer) selected(kind string) bool {
	return (len(d.only) == 0 || slices.Contains(d.only, kind)) && !slices.Contains(d.except, kind)
}

// mounts returns where file systems are mounted, as /proc/mounts tells.
func (d *dfer) mounts() []string {
	data, err := vfs.ReadFile(d.c.FS, "/proc/mounts")
	if err != nil {
		return []string{"/"}
	}
	var points []string
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) > 1 && !slices.Contains(points, fields[1]) {
			points = append(points, strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(fields[1]))
		}
	}
	return points
}

// sumRows returns the row of --total.
func sumRows(rows []dfRow) dfRow {
	sum := dfRow{total: true, file: "-"}
	sum.Source, sum.Type, sum.Point, sum.BlockSize = "total", "-", "-", 1
	for _, r := range rows {
		sum.Blocks += r.Blocks * r.BlockSize
		sum.Free += r.Free * r.BlockSize
		sum.Files += r.Files
		sum.FilesFree += r.FilesFree
	}
	return sum
}

func (d *dfer) blocks(r *dfRow, n int64) string {
	return d.unit.formatBlocks(uint64(max(n, 0)), uint64(max(r.BlockSize, 1)))
}

// count shows a number of inodes.
func (d *dfer) count(n int64) string {
	if d.unit.auto {
		return d.unit.format(uint64(max(n, 0)))
	}
	return fmt.Sprint(max(n, 0))
}

// percent returns how much of total is used, rounded up.
func percent(total, free int64) string {
	if total <= 0 {
		return "-"
	}
	used := total - free
	return fmt.Sprintf("%.0f%%", ceil(float64(used)*100/float64(total)))
}

func ceil(x float64) float64 {
	n := float64(int64(x))
	if n < x {
		n++
	}
	return n
}

func (d *dfer) print(rows []dfRow) error {
	table := make([][]string, 1+len(rows))
	widths := make([]int, len(d.columns))
	for i, c := range d.columns {
		table[0] = append(table[0], c.title)
		for j := range rows {
			v := c.value(d, &rows[j])
			if v == "" {
				v = "-"
			}
			table[j+1] = append(table[j+1], v)
		}
		widths[i] = c.width
		for _, row := range table {
			widths[i] = max(widths[i], displayWidth(row[i]))
		}
	}
	out := bufio.NewWriter(d.c.Stdout)
	for _, row := range table {
		for i, cell := range row {
			if i > 0 {
				out.WriteByte(' ')
			}
			pad := strings.Repeat(" ", widths[i]-displayWidth(cell))
			switch {
			case !d.columns[i].left:
				out.WriteString(pad + cell)
			case i == len(row)-1:
				out.WriteString(cell)
			default:
				out.WriteString(cell + pad)
			}
		}
		out.WriteByte('\n')
	}
	return finish(out, nil)
}
