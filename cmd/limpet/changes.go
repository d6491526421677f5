package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/hostdir"
)

// statusNotApplied is the status where the script has ended well and the host did
// not take its changes.
const statusNotApplied = 125

// A dryRun is the directory of --dir: what it was, and what the script makes of it.
type dryRun struct {
	host   *hostdir.Dir
	before *vfs.Mem
	after  *vfs.Mem
}

// newDryRun opens the directory of --dir for a script that is to see it.
func (f *sandboxFlags) newDryRun(o vfs.MemOptions) (*dryRun, error) {
	dir, err := f.openHost(f.dir, hostdir.Options{ReadOnly: true, Track: true, Quota: o.Quota})
	if err != nil {
		return nil, err
	}
	top, err := vfs.NewOverlay(dir, o)
	if err != nil {
		return nil, err
	}
	return &dryRun{host: dir, before: top.Fork(), after: top}, nil
}

// A change is one line of --changes.
type change struct {
	Op   string `json:"op"` // A, M, D or T: added, modified, deleted, of another type
	Name string `json:"name"`
	Note string `json:"note,omitempty"` // what is modified where that is not the content
}

// String returns the line.
func (c change) String() string {
	name := c.Name
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '"' || r == '\\' }) {
		name = strconv.Quote(name)
	}
	if c.Note != "" {
		name += " (" + c.Note + ")"
	}
	return c.Op + " " + name
}

// changeOf describes a change of the directory.
func changeOf(v vfs.Change) change {
	c := change{Op: "M", Name: strings.TrimPrefix(v.Name, "/")}
	if v.Name == "/" {
		c.Name = "."
	}
	switch {
	case v.Old == nil:
		c.Op = "A"
	case v.New == nil:
		c.Op = "D"
	case v.Old.Mode().Type() != v.New.Mode().Type():
		c.Op = "T"
	case v.Old.Mode() != v.New.Mode():
		c.Note = fmt.Sprintf("mode %04o to %04o", v.Old.Mode().Perm(), v.New.Mode().Perm())
	}
	if v.New != nil && v.New.IsDir() || v.New == nil && v.Old.IsDir() {
		if c.Name += "/"; c.Name == "./" {
			c.Name = "."
		}
	}
	return c
}

// finish shows and applies what the script has done to the directory of --dir. It
// returns the status of the whole, and what --json says of it.
func (f *runFlags) finish(ctx context.Context, res *limpet.Result) (status int, done outcome) {
	status = res.Status
	if f.dryRun == nil {
		return status, done
	}
	err := f.show(ctx, &done)
	if err == nil && f.apply {
		err = f.applyChanges(ctx, res, &done)
	}
	if err == nil {
		return status, done
	}
	done.NotApplied = reasons(err)
	for _, line := range done.NotApplied {
		if !f.json {
			fmt.Fprintln(os.Stderr, "limpet: "+line)
		}
	}
	if status == 0 {
		status = statusNotApplied
	}
	return status, done
}

// show finds the changes, and lists them and writes the patch where that is wanted.
func (f *runFlags) show(ctx context.Context, done *outcome) (err error) {
	if done.list, err = vfs.Changes(f.dryRun.before, f.dryRun.after); err != nil {
		return err
	}
	if f.changes {
		for _, v := range done.list {
			c := changeOf(v)
			if done.Changes = append(done.Changes, c); !f.json {
				fmt.Fprintln(os.Stderr, c)
			}
		}
	}
	if f.diff != "" {
		return f.writeDiff(ctx)
	}
	return nil
}

// applyChanges makes the changes on the host.
func (f *runFlags) applyChanges(ctx context.Context, res *limpet.Result, done *outcome) error {
	switch {
	case len(done.list) == 0:
		return nil
	case res.Stopped != nil:
		return errors.New("the script was stopped")
	case res.Status != 0:
		return fmt.Errorf("the script ended with status %d", res.Status)
	}
	err := f.dryRun.host.Apply(ctx, done.list, f.dryRun.after)
	if err == nil {
		done.Applied = len(done.list)
	}
	return err
}

// reasons returns what to say of an error of Apply.
func reasons(err error) (lines []string) {
	var refused *hostdir.RefusedError
	var partial *hostdir.PartialError
	switch {
	case errors.As(err, &refused):
		for _, r := range refused.Refusals {
			lines = append(lines, fmt.Sprintf("nothing applied: %s: %v", strconv.Quote(r.Name[1:]), r.Err))
		}
	case errors.As(err, &partial):
		lines = append(lines, fmt.Sprintf("not all applied: %s: %v", strconv.Quote(partial.Name[1:]), partial.Err))
		for _, name := range partial.Applied {
			lines = append(lines, "applied before: "+strconv.Quote(name[1:]))
		}
	default:
		lines = append(lines, "nothing applied: "+err.Error())
	}
	return lines
}

// writeDiff writes the patch to the file of --diff.
func (f *runFlags) writeDiff(ctx context.Context) (err error) {
	w := io.WriteCloser(os.Stderr)
	if f.diff != "-" {
		if w, err = os.Create(f.diff); err != nil {
			return err
		}
	}
	err = vfs.Diff(ctx, w, f.dryRun.before, f.dryRun.after)
	if f.diff != "-" {
		if cerr := w.Close(); err == nil {
			err = cerr
		}
	}
	return err
}

// An outcome is the part of the JSON of a run that is about changes.
type outcome struct {
	list       []vfs.Change
	Changes    []change `json:"changes,omitempty"`
	Applied    int      `json:"applied,omitempty"`
	NotApplied []string `json:"not_applied,omitempty"`
}
