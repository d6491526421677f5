package fuzz

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

// CommandLines writes scripts that run one command with options of its own table
// over inputs that are hard on it: random bytes, null bytes, long lines, no
// newline at the end, nothing, a lot. Two values that are equal write the same
// scripts.
type CommandLines struct {
	// Seed chooses the scripts.
	Seed uint64

	// Commands are those that may be run; see [Known]. None means that scripts do
	// nothing.
	Commands []*builtins.Command

	// Hostile says that scripts are for a sandbox only: commands need not be known,
	// and get any values and operands, files without end and those of others among
	// them.
	Hostile bool
}

// Known returns those of the commands of which CommandLines knows how to call
// them.
func Known(commands []*builtins.Command) []*builtins.Command {
	var known []*builtins.Command
	for _, c := range commands {
		if _, ok := callers[c.Name]; ok {
			known = append(known, c)
		}
	}
	return known
}

// A caller is how a command is called.
type caller struct {
	operands string // what comes first, one of those that bars separate
	files    [2]int // how many files follow, at least and at most
	skip     string // options that are left out: they are not the same each time
	values   string // option=value|value words, for options that not any value suits
	most     int    // options at a time; zero means 3
	text     bool   // inputs are UTF-8 without null bytes, beyond which it differs on purpose
}

// callers are the commands that are called.
var callers = map[string]caller{
	"cat": {files: [2]int{0, 3}}, "tac": {files: [2]int{1, 2}, skip: "-r -b -s"}, "rev": {text: true, files: [2]int{1, 2}},
	"head": {files: [2]int{0, 2}}, "tail": {files: [2]int{0, 2}, skip: "-f -F --follow --retry --pid -s --sleep-interval --max-unchanged-stats"},
	"wc": {files: [2]int{0, 2}}, "nl": {files: [2]int{0, 2}, values: "-b=a|t|n|pa|px* -f=a|t|n -h=a|t|n -n=ln|rn|rz -d=:|ab|c"},
	"sort": {files: [2]int{0, 2}, skip: "-R --random-source -S -T --compress-program --parallel --batch-size --files0-from --debug -o --sort",
		values: "-k=1|2|2,2|1.2,1.3|2n|1r,1|3b -t=a|:|\\0"},
	"uniq":  {files: [2]int{0, 1}, values: "-f=0|1|2 -s=0|1|5 -w=0|1|3"},
	"cut":   {files: [2]int{0, 2}, values: "-b=1|2-|-3|1,3|5-9,2 -c=1|2-|-3|1,3|5-9,2 -f=1|2-|-3|1,3|5-9,2 -d=a|:|x"},
	"paste": {files: [2]int{1, 3}, values: "-d=:|ab|\\t\\n|\\0"}, "tr": {operands: "a-z A-Z|'[:space:]' x|'\\0-\\37' .|é e|'[:upper:]' '[:lower:]'|ab|'[:digit:]'|'[x*3]' abc"},
	"fold": {files: [2]int{0, 2}, values: "-w=1|7|80|1000"}, "fmt": {text: true, files: [2]int{0, 2}, values: "-w=5|20|75 -g=3|10 -p=a|x"},
	"expand": {files: [2]int{0, 2}, values: "-t=1|4|3,9|2,/5|3,+4"}, "unexpand": {files: [2]int{0, 2}, most: 1, values: "-t=1|4|3,9|2,/5"},
	"comm": {files: [2]int{2, 2}}, "join": {files: [2]int{2, 2}, skip: "-j", values: "-1=1|2 -2=1|2 -j=1|2 -t=:|a -a=1|2 -v=1|2 -o=0|1.1,2.1|auto -e=x"},
	"od":     {files: [2]int{0, 2}, values: "-A=d|o|x|n -t=x1|c|a|d2|o4|f4|x1z -N=0|1|20 -j=0|1|3 -w=4|16 -S=3"},
	"base64": {files: [2]int{0, 1}, values: "-w=0|5|76"}, "base32": {files: [2]int{0, 1}, values: "-w=0|5|76"},
	"md5sum": {files: [2]int{0, 2}, skip: "-c"}, "sha1sum": {files: [2]int{0, 2}, skip: "-c"}, "sha256sum": {files: [2]int{0, 2}, skip: "-c"},
	"b2sum": {files: [2]int{0, 2}, skip: "-c", values: "-l=8|256|512"}, "cksum": {files: [2]int{0, 2}, skip: "-c --debug", values: "-a=crc|md5|bsd|sysv|sha224|sm3 -l=8|256"},
	"sum": {files: [2]int{0, 2}}, "cmp": {files: [2]int{2, 2}, values: "-i=0|1|3:2 -n=0|5|100"},
	"diff": {files: [2]int{2, 2}, skip: "--from-file --to-file -X -S -x -W --horizon-lines --tabsize -Z --color", values: "-F=a|x -I=a|^$ -W=20|80 --label=l|m --color=always|never -D=X"},
	"grep": {operands: "a|'^$'|.|'[^a-m]x*'|'\\(a\\)\\1'|é|xx|'a*b'|-e a -e b", files: [2]int{1, 3},
		skip:   "-f --file -r -R --recursive --dereference-recursive -d -D --exclude-from --include --exclude --exclude-dir -e -P -z -E -F -G --color",
		values: "-m=0|1|2 -A=0|1|2 -B=0|1|2 -C=0|1|2 --color=always|never --binary-files=text|binary|without-match --label=x --group-separator=x"},
	"sed": {operands: "s/a/x/|s/[^a]*/-/g|p|'$!d'|'/a/,/b/d'|'1!G;h;$!d'|y/abc/xyz/|l|'N;P;D'|'2,3c\\\nz'|'s/x/&&/2;t;s/$/!/'|'/^$/d;='|'$='|s/.\\{3\\}/&:/g",
		files: [2]int{1, 2}, skip: "-e -f --debug -i --in-place -l --follow-symlinks"},
	"column":  {text: true, files: [2]int{1, 1}, most: 2, skip: "-n -N -O -R -H -o -J -C -l -h -c -L", values: "-s=:|a"},
	"strings": {files: [2]int{1, 2}, values: "-n=1|3|4 -t=d|o|x", skip: "-T -U -e -d -w -s --output-separator"},
	"numfmt": {text: true, operands: "1|1000 2K|-5|1.5 abc|'' 7", values: "--from=si|iec|iec-i|auto|none --to=si|iec|iec-i|none --padding=5|-5 --round=up|down|near --suffix=B " +
		"--format=%f|%.2f|%8f --field=1|- --from-unit=2|1000 --to-unit=2|1000 --invalid=warn|fail|ignore -d=x --header=1", skip: "-z"},
	"seq":    {operands: "3|1 4|5 -2 1|0.5 .25 1.5|1 0 1|x|2 1", values: "-f=%g|%.2f|%05g -s=:|ab"},
	"factor": {operands: "1 2 12|0|-3|18446744073709551615|x 7|1000000007"}, "tsort": {files: [2]int{0, 1}},
	"csplit":   {files: [2]int{1, 1}, operands: "", most: 2, skip: "-b -f -n"},
	"split":    {files: [2]int{1, 1}, values: "-l=1|2|100 -b=1|5|1K -C=3|10 -n=2|l/2|r/2|1/2 -a=2|3 -t=a|x", skip: "--filter --verbose", most: 2},
	"shuf":     {files: [2]int{1, 1}, skip: "--random-source -i -e -o -r", values: "-n=0|1", most: 1},
	"expr":     {operands: "1 + 2|abc : 'a\\(.*\\)'|5 / 0|length é|substr abc 2 1|index abc c|1 '<' 2|a '|' b|'(' 1 ')'|1 %"},
	"pr":       {files: [2]int{1, 2}, values: "-l=5|10|66 -w=20|72 -o=0|3 -s=: -N=1 -n=x3 -e=4 -i=4 -S=x -W=20 -h=t", skip: "-D --date-format -m", most: 2},
	"ptx":      {files: [2]int{1, 1}, skip: "-b -i -o -R -S -W -r", values: "-w=20|72 -g=1|3 -F=/ -M=xx", most: 2},
	"truncate": {files: [2]int{1, 1}, values: "-s=0|5|+3|-1|%4|/3|>2|<4 -r=a"},
	"stat":     {files: [2]int{1, 1}, values: "-c=%s|%F|%n|%a --printf=%s\\n|%F", skip: "-f -t"},
}

// Script returns the script with the number n.
func (l CommandLines) Script(n uint64) string {
	if len(l.Commands) == 0 {
		return ""
	}
	r := rand.New(rand.NewPCG(l.Seed, n))
	c := l.Commands[r.IntN(len(l.Commands))]
	if l.Hostile {
		return hostileLine(r, c)
	}
	how := callers[c.Name]
	var b strings.Builder
	names := []string{"a", "b", "c"}
	for _, name := range names {
		fmt.Fprintf(&b, "%s > %s\n", input(r, how.text), name)
	}
	words := []string{c.Name}
	words = append(words, options(r, c, how)...)
	if how.operands != "" {
		choices := strings.Split(how.operands, "|")
		words = append(words, choices[r.IntN(len(choices))])
	}
	count := how.files[0] + r.IntN(how.files[1]-how.files[0]+1)
	for range count {
		words = append(words, names[r.IntN(len(names))])
	}
	fmt.Fprintf(&b, "%s < %s\n", strings.Join(words, " "), names[r.IntN(len(names))])
	return b.String()
}

// options returns some options of a command, with values.
func options(r *rand.Rand, c *builtins.Command, how caller) []string {
	most := how.most
	if most == 0 {
		most = 3
	}
	skip := strings.Fields(how.skip)
	all := slices.DeleteFunc(slices.Clone(builtins.Describe(c)), func(o *builtins.Option) bool {
		return slices.ContainsFunc(optionNames(o), func(name string) bool {
			return slices.Contains(skip, name) || name == "--help" || strings.HasPrefix(o.Help, "print this help") || strings.HasPrefix(o.Help, "print the version") || name == "--version" || name == "--files0-from"
		})
	})
	var words []string
	for range r.IntN(most + 1) {
		if len(all) == 0 {
			break
		}
		o := all[r.IntN(len(all))]
		names := optionNames(o)
		name := names[r.IntN(len(names))]
		value := ""
		if o.Value != "" {
			value = quoteWord(optionValue(r, how, names))
		}
		long := strings.HasPrefix(name, "--")
		switch {
		case o.Value == "" || o.Optional && r.IntN(2) == 0:
			words = append(words, name)
		case long:
			words = append(words, name+"="+value)
		default:
			words = append(words, name+value)
		}
	}
	return words
}

func optionNames(o *builtins.Option) []string {
	var names []string
	for _, s := range o.Short {
		names = append(names, "-"+s)
	}
	for _, s := range o.Long {
		names = append(names, "--"+s)
	}
	return names
}

// optionValue returns a value for an option: mostly one that it takes.
func optionValue(r *rand.Rand, how caller, names []string) string {
	choices := []string{"0", "1", "2", "3", "5", "10", "100", "1K", "+2", "-1", "x", "18446744073709551616"}
	for _, rule := range strings.Fields(how.values) {
		name, list, _ := strings.Cut(rule, "=")
		if slices.Contains(names, name) && r.IntN(12) > 0 {
			choices = strings.Split(list, "|")
		}
	}
	return choices[r.IntN(len(choices))]
}

func quoteWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// input returns a command that prints an input.
func input(r *rand.Rand, plain bool) string {
	var text []byte
	switch n := r.IntN(10); {
	case n == 0:
		return "printf ''"
	case n == 1:
		return fmt.Sprintf("seq %d", 1+r.IntN(30000))
	case n == 2:
		return fmt.Sprintf("printf '%%*s' %d a", 1+r.IntN(200000))
	case n == 3 && !plain:
		for range r.IntN(200) {
			text = append(text, byte(r.IntN(256)))
		}
	default:
		pieces := strings.Split("a|b|aa|ab|x|xx|A|é|\u4e2d|\xff|\xc3|:|\t| |  |1|2|10|-5|abc|hello|.|\\|\x00|\r|\f|a:b|1 2 3|\x1b", "|")
		for range r.IntN(12) {
			for range r.IntN(6) {
				k := r.IntN(len(pieces))
				if p := pieces[k]; (p == "\xff" || p == "\xc3" || strings.ContainsAny(p, "\x00\f\x1b\r")) && (plain || r.IntN(4) > 0) {
					continue
				}
				text = append(text, pieces[k]...)
			}
			text = append(text, '\n')
		}
		if len(text) > 0 && r.IntN(3) == 0 {
			text = text[:len(text)-1]
		}
	}
	var b strings.Builder
	b.WriteString("printf '")
	for _, c := range text {
		if c >= ' ' && c < 0x7f && c != '\'' && c != '\\' && c != '%' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\%03o`, c)
		}
	}
	return b.String() + "'"
}
