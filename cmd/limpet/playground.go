package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

//go:embed page
var page embed.FS

// pageModule is the sandbox as WebAssembly, and pageRuntime what Go needs beside it.
const (
	pageModule  = "limpet.wasm"
	pageRuntime = "wasm_exec.js"
)

// A playgroundFlags is the command line of limpet playground.
type playgroundFlags struct {
	listener listenFlags
	assets   string
	out      string
}

func playgroundCommand(status *int) *cobra.Command {
	var f playgroundFlags
	cmd := &cobra.Command{
		Use:   "playground [flags]",
		Short: "serve a page with a sandbox that runs in the browser",
		Long: `Serve a static page with the whole sandbox compiled to WebAssembly, but for git, sqlite3, html2markdown and
those for the network. Releases have its module in a directory called playground beside the program; elsewhere it is built with
Go from the module's source, in whose directory the command must be run then.`,
		Example: `  limpet playground
  limpet playground --out public               # files for any web server`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			err := f.run()
			if err != nil {
				*status = statusUsage
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.listener.address, "listen", "127.0.0.1:8090", "serve at an `ADDRESS`")
	flags.BoolVar(&f.listener.remote, "remote", false, "allow an address that is not of this machine alone")
	flags.StringVar(&f.assets, "assets", "", "take "+pageModule+" and "+pageRuntime+" from the directory `DIR`")
	flags.StringVar(&f.out, "out", "", "write the page to a directory `DIR` and serve nothing")
	return cmd
}

func (f *playgroundFlags) run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if f.out != "" {
		return f.write(ctx)
	}
	dir := f.assets
	if dir == "" {
		built, cleanup, err := findModule(ctx)
		if err != nil {
			return err
		}
		defer cleanup()
		dir = built
	}
	for _, name := range []string{pageModule, pageRuntime} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("--assets %s: %w", dir, err)
		}
	}
	l, err := f.listener.listen("--listen")
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "limpet: the playground is at http://%s/\n", l.Addr())
	return serveUntil(ctx, l, pageHandler(dir), (*http.Server).Close)
}

// pageHandler serves the page, and the module from a directory.
func pageHandler(dir string) http.Handler {
	files, err := fs.Sub(page, "page")
	if err != nil {
		panic(err) // it is embedded
	}
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServerFS(files))
	for _, name := range []string{pageModule, pageRuntime} {
		mux.HandleFunc("GET /"+name, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "no-cache")
			http.ServeFile(w, r, filepath.Join(dir, name))
		})
	}
	return mux
}

// findModule returns the directory with the module: one beside the program, or a new one for which it is
// built.
func findModule(ctx context.Context) (dir string, cleanup func(), err error) {
	if self, err := os.Executable(); err == nil {
		dir = filepath.Join(filepath.Dir(self), "playground")
		if _, err := os.Stat(filepath.Join(dir, pageModule)); err == nil {
			return dir, func() {}, nil
		}
	}
	if dir, err = os.MkdirTemp("", "limpet-playground-*"); err != nil {
		return "", nil, err
	}
	cleanup = func() { os.RemoveAll(dir) }
	if err := buildModule(ctx, dir); err != nil {
		cleanup()
		return "", nil, err
	}
	return dir, cleanup, nil
}

// buildModule builds the module into a directory.
func buildModule(ctx context.Context, dir string) error {
	fmt.Fprintln(os.Stderr, "limpet: building the sandbox as WebAssembly; the first time takes a few minutes")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-tags", "slim", "-ldflags", "-s -w", "-o", filepath.Join(dir, pageModule), "github.com/limpet-sh/limpet/cmd/playground")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot build the sandbox as WebAssembly, for which Go and the source are needed: %w\n%s", err, out)
	}
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", pageRuntime))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, pageRuntime), data, 0o644)
}

// write writes the page and the module to a directory.
func (f *playgroundFlags) write(ctx context.Context) error {
	if err := os.MkdirAll(f.out, 0o755); err != nil {
		return err
	}
	files, err := fs.Glob(page, "page/*")
	for _, name := range files {
		data, readErr := page.ReadFile(name)
		err = errors.Join(err, readErr, os.WriteFile(filepath.Join(f.out, filepath.Base(name)), data, 0o644))
	}
	if err != nil {
		return err
	}
	if f.assets == "" {
		return buildModule(ctx, f.out)
	}
	for _, name := range []string{pageModule, pageRuntime} {
		data, err := os.ReadFile(filepath.Join(f.assets, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(f.out, name), data, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
