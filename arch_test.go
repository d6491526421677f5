package limpet_test

import (
	"cmp"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/limpet-sh/limpet"

// layers is the architecture: a package may import those of the rows above its
// own, and no others of this module. A name ending in "/..." covers what is
// below it, except what another row names.
//
// It is a statement of policy. Do not change it to make a build pass.
var layers = [][]string{
	{"limits"},
	{"internal/transcript", "internal/version", "internal/size", "internal/filemode", "internal/wchar", "internal/parse/scan", "internal/zone", "internal/decimal", "internal/linediff", "internal/snapshot", "internal/retain"},
	{"internal/width", "internal/pattern", "internal/quote", "internal/regex", "internal/strftime", "internal/dateparse", "internal/parse"},
	{"internal/printf", "internal/unparse"},
	{"internal/analysis"},
	{"vfs", "netpolicy"},
	{"vfs/...", "netpolicy/proxy"},
	{"internal/pipe", "internal/condition", "internal/account"},
	{"builtins"}, // the contract of a command
	{"internal/walk", "internal/awk", "internal/bc", "internal/dc", "internal/jq", "internal/yq", "internal/calltest"},
	{"builtins/..."}, // the commands: never each other, never interp
	{"builtins/all"},
	{"interp"}, // knows the contract of a command, not the commands
	{"."},
	{"adapters/internal/lease", "adapters/internal/invoke", "adapters/internal/killtest"},
	{"adapters/internal/box"},
	{"tools", "audit", "tracing", "adapters/...", "sandboxtest", "client", "internal/shelltest"},
	{"tools/mcp", "tools/toolstest", "serve"},
	{"serve/cluster"}, // NATS
	{"fuzz", "bench"},
	{"cmd/...", "examples/..."},
}

// host lists the standard packages that reach the host, and who may import
// them. Scripts run in everything else.
var host = map[string][]string{
	// vfs has the flags of OpenFile and os.LinkError from it; a transcript
	// is a test's.
	"os":            {"vfs", "vfs/vfstest", "vfs/hostdir", "adapters/...", "cmd/...", "fuzz", "bench", "examples/...", "internal/transcript", "internal/calltest"},
	"os/exec":       {"adapters/...", "cmd/...", "fuzz", "bench", "internal/transcript"},
	"os/signal":     {"cmd/...", "adapters/...", "fuzz"},
	"os/user":       {},
	"path/filepath": {"adapters/...", "cmd/...", "vfs/hostdir", "fuzz", "bench", "internal/transcript"},
	"net":           {"netpolicy", "netpolicy/...", "adapters/...", "tools/mcp", "client", "serve/cluster", "fuzz", "cmd/..."},
	"net/http":      {"netpolicy", "netpolicy/...", "builtins", "builtins/network", "builtins/git", "adapters/...", "tools/mcp", "client", "serve", "serve/cluster", "fuzz", "cmd/...", "examples/...", "internal/calltest"},
	"syscall":       {"adapters/...", "vfs/hostdir", "cmd/...", "fuzz"},
	// Sizes of what is charged for, strings seen as bytes by the regular
	// expressions of awk, and a system call that package os lacks.
	"unsafe": {"builtins/text", "internal/awk", "interp", "vfs/hostdir"},
	"plugin": {},
	"log":    {"cmd/..."},
}

// forbidden are packages that the root package must not make anybody compile.
var forbidden = []string{"github.com/moby/", "github.com/docker/", "github.com/nats-io/", "github.com/go-git/", "go.opentelemetry.io/", "github.com/danielgtaylor/huma", "go.etcd.io/bbolt", "github.com/spf13/cobra", "mvdan.cc/sh/v3/interp", "mvdan.cc/sh/v3/expand"}

func TestArchitecture(t *testing.T) {
	documented := map[string]bool{}
	each(t, func(dir, name string, f *ast.File) {
		documented[dir] = documented[dir] || f.Doc != nil
		for _, imp := range f.Imports {
			checkImport(t, dir, name, strings.Trim(imp.Path.Value, `"`))
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				checkFunc(t, name, fn)
			}
		}
	})
	require.NotEmpty(t, documented)
	for dir, ok := range documented {
		if !ok {
			t.Errorf("%s: no package comment", dir)
		}
	}
}

func checkImport(t *testing.T, dir, name, imp string) {
	if allowed, restricted := host[imp]; restricted && !matchAny(allowed, dir) {
		t.Errorf("%s: may not import %q: it reaches the host", name, imp)
	}
	if rest, ok := strings.CutPrefix(imp+"/", module+"/"); ok {
		if to := cmp.Or(strings.TrimSuffix(rest, "/"), "."); layer(to) >= layer(dir) {
			t.Errorf("%s: %s may not import %s: see layers", name, dir, to)
		}
	}
}

func checkFunc(t *testing.T, name string, fn *ast.FuncDecl) {
	if fn.Name.Name == "init" && fn.Recv == nil {
		t.Errorf("%s: init function; use a package variable", name)
	}
	if fn.Name.IsExported() && fn.Doc == nil && fn.Recv == nil && !strings.Contains(name, "/testdata/") {
		t.Errorf("%s:%s: exported, but undocumented", name, fn.Name.Name)
	}
}

// layer returns the row of a package: that of its own name, or else of the
// longest name that covers it.
func layer(dir string) int {
	at, longest := -1, -1
	for i, row := range layers {
		for _, p := range row {
			if p == dir {
				return i
			}
			if matchAny([]string{p}, dir) && len(p) > longest {
				at, longest = i, len(p)
			}
		}
	}
	return at
}

func matchAny(patterns []string, dir string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		prefix, below := strings.CutSuffix(p, "/...")
		return p == dir || below && strings.HasPrefix(dir, prefix+"/")
	})
}

// each calls do for every file of the module that is built and is not a test.
func each(t *testing.T, do func(dir, name string, f *ast.File)) {
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || len(d.Name()) > 1 && d.Name()[0] == '.'):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		require.NoError(t, err)
		if !built(name) {
			return nil
		}
		name = filepath.ToSlash(name)
		if dir := path.Dir(name); layer(dir) < 0 {
			t.Errorf("%s: the package has no row among the layers", dir)
		} else {
			do(dir, name, f)
		}
		return nil
	})
	require.NoError(t, err)
}

// built reports whether a file belongs to a package: files that generate others
// do not.
func built(name string) bool {
	ctx := build.Default
	ok, _ := ctx.MatchFile(filepath.Dir(name), filepath.Base(name))
	return ok || !strings.HasPrefix(filepath.Base(name), "generate")
}

// TestRootBuildsNothingHeavy holds what embedding the root package costs.
func TestRootBuildsNothingHeavy(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	for dep := range strings.Lines(string(out)) {
		for _, f := range forbidden {
			if strings.HasPrefix(dep, f) {
				t.Errorf("the root package compiles %s", strings.TrimSpace(dep))
			}
		}
	}
}

// TestEveryFamilyIsInAll holds that a family of commands is not forgotten.
func TestEveryFamilyIsInAll(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{join .Imports "\n"}}`, "./builtins/all").Output()
	require.NoError(t, err)
	dirs, err := filepath.Glob("builtins/*/*.go")
	require.NoError(t, err)
	for _, f := range dirs {
		family := filepath.ToSlash(filepath.Dir(f))
		if family == "builtins/all" || family == "builtins/git" {
			continue
		}
		require.Contains(t, string(out), module+"/"+family+"\n", "builtins/all does not import %s", family)
	}
}
