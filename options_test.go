package limpet_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/builtins/all"
)

// helpArgument is what makes the program of the host print its options, where
// that is not --help.
var helpArgument = map[string]string{"xz": "-H", "zstd": "-H", "lz4": "-H", "xxd": "-h"}

// notInHelp are the commands of which the host's program shows its options in no
// form that could be read, or has none of them, or is another program.
var notInHelp = "bash cal csv dc dd dnsdomainname echo find git html2markdown kill locale lsb_release lzma mawk mesg more nawk printf ps pwd python " +
	"sh sqlite3 test time tput unlzma unzip which yq zip [ true false printenv csvcut"

// notOptions are what looks like an option in the help of a command.
var notOptions = map[string]string{
	"cut": "-M", "numfmt": "-M", "gawk": "-I", "stty": "-c -e -i -l -n -o -p -r -x", "less": "-? --file-size --no-histdups --save-marks",
	"diff": "--GTYPE-group-format --LTYPE-line-format",
}

// optionWord is an option in the line that explains it. What the manual calls the
// value, as in -NUM, is none.
var optionWord = regexp.MustCompile(`(?:^|[\s,|/])(--[A-Za-z0-9][A-Za-z0-9-]*|-[A-Za-z0-9?#@:](?:[^A-Za-z0-9?#@:-]|[A-Z][a-z]|$|[a-z]))`)

// hostOptions returns the options that the host's program lists; nothing where
// there is no such program.
func hostOptions(name string) map[string]bool {
	program := name
	if other := map[string]string{"awk": "gawk", "fd": "fdfind"}[name]; other != "" {
		program = other
	}
	argument := helpArgument[name]
	if argument == "" {
		argument = "--help"
	}
	out, err := exec.Command(program, argument).CombinedOutput()
	if len(out) == 0 && err != nil {
		return nil
	}
	options := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		text := strings.TrimSpace(line)
		if line == text || !strings.HasPrefix(text, "-") {
			continue
		}
		if program != "gawk" {
			text, _, _ = strings.Cut(text, "  ")
			text, _, _ = strings.Cut(text, "\t")
		}
		for _, m := range optionWord.FindAllStringSubmatch(text, -1) {
			option := m[1]
			if !strings.HasPrefix(option, "--") {
				option = option[:2]
			}
			if !strings.Contains(" "+notOptions[program]+" ", " "+option+" ") {
				options[option] = true
			}
		}
	}
	return options
}

// declared returns the options that a command has.
func declared(c *builtins.Command) map[string]bool {
	options := map[string]bool{"--help": true, "--version": true}
	for _, o := range builtins.Describe(c) {
		for _, s := range o.Short {
			options["-"+s] = true
		}
		for _, l := range o.Long {
			options["--"+l] = true
		}
	}
	return options
}

// TestConfirmOptions holds, in COMPATIBILITY.md, the options of the host's
// programs that the commands refuse: there is none that is neither declared nor
// listed. CONFIRM=1 go test -run TestConfirmOptions -update-docs . rewrites them.
func TestConfirmOptions(t *testing.T) {
	if os.Getenv("CONFIRM") == "" {
		t.Skip("CONFIRM is not set")
	}
	var b strings.Builder
	b.WriteString("| command | options that are refused |\n|---|---|\n")
	byName := func(a, b *builtins.Command) int { return strings.Compare(a.Name, b.Name) }
	for _, c := range slices.SortedFunc(slices.Values(all.Commands()), byName) {
		if slices.Contains(strings.Fields(notInHelp), c.Name) {
			continue
		}
		has := declared(c)
		var refused []string
		for _, option := range slices.Sorted(maps.Keys(hostOptions(c.Name))) {
			if !has[option] {
				refused = append(refused, "`"+option+"`")
			}
		}
		if len(refused) > 0 {
			fmt.Fprintf(&b, "| %s | %s |\n", c.Name, strings.Join(refused, " "))
		}
	}
	generated(t, "COMPATIBILITY.md", "refused", b.String())
}
