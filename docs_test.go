package limpet_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/builtins/all"
	"github.com/stretchr/testify/require"
)

var updateDocs = flag.Bool("update-docs", false, "rewrite the generated parts of the documents")

// TestReadmeListsTheCommands holds the list of commands in README.md.
func TestReadmeListsTheCommands(t *testing.T) {
	var names []string
	for _, c := range all.Commands() {
		names = append(names, c.Name)
		names = append(names, c.Aliases...)
	}
	slices.Sort(names)
	generated(t, "README.md", "commands", fmt.Sprintf("%d commands: %s. Besides these, the builtins of bash.\n",
		len(names), strings.Join(names, " ")))
}

// exemption is a line of a transcript that says why the next command is not
// confirmed by the tools of the host.
var exemption = regexp.MustCompile(`^#~ (.*)`)

// TestCompatibilityListsTheExemptions holds the list of differences in
// COMPATIBILITY.md: one for every exemption in a transcript.
func TestCompatibilityListsTheExemptions(t *testing.T) {
	files, err := filepath.Glob("*/*/testdata/*.txt")
	require.NoError(t, err)
	more, err := filepath.Glob("*/testdata/*.txt")
	require.NoError(t, err)
	rows := map[string][]string{}
	for _, name := range append(files, more...) {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		for line := range strings.Lines(string(data)) {
			if m := exemption.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
				topic := strings.TrimSuffix(filepath.Base(name), ".txt")
				if !slices.Contains(rows[topic], m[1]) {
					rows[topic] = append(rows[topic], m[1])
				}
			}
		}
	}
	var b strings.Builder
	b.WriteString("| where | difference |\n|---|---|\n")
	topics := make([]string, 0, len(rows))
	for topic := range rows {
		topics = append(topics, topic)
	}
	slices.SortFunc(topics, cmp.Compare[string])
	for _, topic := range topics {
		for _, r := range rows[topic] {
			fmt.Fprintf(&b, "| %s | %s |\n", topic, strings.ReplaceAll(r, "|", "\\|"))
		}
	}
	generated(t, "COMPATIBILITY.md", "exemptions", b.String())
}

// generated compares the part of a document between two marks with want, or
// rewrites it.
func generated(t *testing.T, name, mark, want string) {
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	begin, end := "<!-- "+mark+" -->\n", "<!-- end of "+mark+" -->\n"
	head, rest, ok := strings.Cut(string(data), begin)
	require.True(t, ok, "%s: no %s", name, begin)
	got, tail, ok := strings.Cut(rest, end)
	require.True(t, ok, "%s: no %s", name, end)
	if *updateDocs {
		require.NoError(t, os.WriteFile(name, []byte(head+begin+want+end+tail), 0o644))
		return
	}
	require.Equal(t, want, got, "%s is not up to date: go test -run 'TestReadme|TestCompat' -update-docs .", name)
}

// TestReadmeProgramRuns builds and runs the program in README.md.
func TestReadmeProgramRuns(t *testing.T) {
	data, err := os.ReadFile("README.md")
	require.NoError(t, err)
	m := regexp.MustCompile("(?s)```go\n(.*?)```").FindSubmatch(data)
	require.NotNil(t, m)
	dir := filepath.Join("internal", "readme"+fmt.Sprint(os.Getpid()))
	require.NoError(t, os.Mkdir(dir, 0o755))
	defer os.RemoveAll(dir)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), m[1], 0o644))
	out, err := exec.Command("go", "run", "./"+dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, "1: apple\n2: pear\n(status 0)\n", string(out))
}

// TestEveryCommandDescribesItself holds that options are declared, so that --help
// can show them, and that every command has a synopsis and a summary.
func TestEveryCommandDescribesItself(t *testing.T) {
	for _, c := range all.Commands() {
		require.NotEmpty(t, c.Summary, c.Name)
		require.False(t, strings.HasSuffix(c.Summary, "."), c.Name)
		for _, o := range builtins.Describe(c) {
			require.NotEmpty(t, len(o.Short)+len(o.Long), c.Name)
			require.NotEmpty(t, o.Help, "%s: an option without help", c.Name)
		}
	}
}
