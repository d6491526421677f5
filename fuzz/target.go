package fuzz

import (
	"context"
	"path"
	"strings"

	"github.com/limpet-sh/limpet"
)

// A Target is a shell under test.
type Target interface {
	// Run runs a script in an empty working directory that no other script
	// uses, and returns what it did. A script that does not end is stopped,
	// and that is an outcome. An error means that nothing can be said of the
	// script. Run must be safe for concurrent use.
	Run(ctx context.Context, script string) (*Outcome, error)
}

// An Outcome is what can be seen of a script that has run. The directory in which
// it ran has the name [WorkDir] there, whatever its real one is.
type Outcome struct {
	Stdout string
	Stderr string
	Status int

	// Files are those that the script left below its working directory, by
	// name: their contents, "-> " and the target of a symbolic link, or
	// nothing for a directory, whose name ends in a slash.
	Files map[string]string

	// Stopped says why the script did not end by itself; nil where it did.
	Stopped error
}

const (
	// WorkDir is the working directory of scripts, as outcomes show it.
	WorkDir = "/workspace"

	// ScriptName is $0.
	ScriptName = "../script"
)

// environment is what scripts find in theirs.
var environment = map[string]string{
	"PATH": "/usr/bin:/bin", "HOME": WorkDir, "LC_ALL": "C.UTF-8", "TZ": "UTC",
	"USER": "user", "LOGNAME": "user", "SHELL": "/bin/bash", "TERM": "dumb", "LANG": "C.UTF-8",
}

// Sandbox is a [Target] that runs each script in a new limpet.Shell of this
// process.
type Sandbox struct {
	// Config is that of the shell. Its Files are shared by all scripts if
	// they are not nil.
	Config limpet.Config
}

// Run runs a script.
func (s *Sandbox) Run(ctx context.Context, script string) (*Outcome, error) {
	sh, err := limpet.New(s.Config)
	if err != nil {
		return nil, err
	}
	defer sh.Close()
	res, err := sh.Exec(ctx, limpet.Request{Script: script, Name: ScriptName, Batch: true, Env: environment})
	if err != nil {
		return nil, err
	}
	out := &Outcome{
		Stdout: string(res.Stdout), Stderr: string(res.Stderr), Status: res.Status, Stopped: res.Stopped,
		Files: map[string]string{},
	}
	return out, collect(ctx, sh, WorkDir, out.Files)
}

// collect notes what is below a directory of a shell.
func collect(ctx context.Context, sh *limpet.Shell, dir string, files map[string]string) error {
	entries, err := sh.ReadDir(ctx, dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		full := path.Join(dir, e.Name())
		name := strings.TrimPrefix(full, WorkDir+"/")
		switch {
		case e.IsDir():
			files[name+"/"] = ""
			err = collect(ctx, sh, full, files)
		case e.Type().IsRegular():
			var data []byte
			data, err = sh.ReadFile(ctx, full)
			files[name] = string(data)
		default:
			files[name] = e.Type().String()
		}
		if err != nil {
			return err
		}
	}
	return nil
}
