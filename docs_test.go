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

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/builtins/all"
	"github.com/limpet-sh/limpet/internal/transcript"
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

// block is a block of code in a document.
var block = regexp.MustCompile("(?ms)^```(go|console)\n(.*?)^```$")

// TestDocumentsAreTrue compiles the programs in the guides, and runs what they show of
// scripts.
func TestDocumentsAreTrue(t *testing.T) {
	names, err := filepath.Glob("docs/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	dir := filepath.Join("internal", "docs"+fmt.Sprint(os.Getpid()))
	defer os.RemoveAll(dir)
	for _, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		sh, err := limpet.New(limpet.Config{})
		require.NoError(t, err)
		defer sh.Close()
		for i, m := range block.FindAllStringSubmatch(string(data), -1) {
			if m[1] == "go" {
				main := filepath.Join(dir, fmt.Sprint(filepath.Base(name), i), "main.go")
				require.NoError(t, os.MkdirAll(filepath.Dir(main), 0o755))
				require.NoError(t, os.WriteFile(main, []byte(m[2]), 0o644))
				continue
			}
			f, err := transcript.Parse([]byte(m[2]))
			require.NoError(t, err)
			for _, step := range f.Steps {
				res, err := sh.Exec(t.Context(), limpet.Request{Script: step.Script})
				require.NoError(t, err)
				got := transcript.Outcome{Stdout: string(res.Stdout), Stderr: string(res.Stderr), Status: res.Status}
				require.Equal(t, step.Outcome, got, "%s: $ %s", name, step.Script)
			}
		}
	}
	out, err := exec.Command("go", "vet", "./"+dir+"/...").CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// TestLinksLead checks the links between the documents.
func TestLinksLead(t *testing.T) {
	names, err := filepath.Glob("*.md")
	require.NoError(t, err)
	more, err := filepath.Glob("docs/*.md")
	require.NoError(t, err)
	for _, name := range append(append(names, more...), "llms.txt") {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`\]\(([^)# ]+)[^)]*\)`).FindAllStringSubmatch(string(data), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			_, err := os.Stat(filepath.Join(filepath.Dir(name), m[1]))
			require.NoError(t, err, "%s: %s", name, m[0])
		}
	}
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
