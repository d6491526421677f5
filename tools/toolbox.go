// Package tools is what a model sees of a sandbox: reading, writing and editing files, bash,
// processes in the background, searching. The tools are the same whatever sandbox
// they are for.
//
//	box, err := tools.New(sandbox, tools.Config{})
//	if err != nil { … }
//	defer box.Close()
//	for _, t := range box.Tools() { … } // to be shown to a model: see Render
//	res := box.Call(ctx, tools.Call{Name: "bash", Arguments: []byte(`{"command":"ls"}`)})
//	fmt.Println(res.Text())
//
// File tools go through the file system of the sandbox, and what they refuse, bash
// would be refused by the sandbox as well, but for the roots: see Config.Roots.
package tools

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/limpet-sh/limpet"
)

// A Config says which tools there are and how they behave. The zero Config is all
// that the sandbox can do.
type Config struct {
	// Disabled are patterns of names of tools, such as process.*, that are left out.
	// One that matches no tool is an error.
	Disabled []string

	// Roots are directories outside of which the file tools do nothing. Nil means the
	// workspace of the sandbox. They are a guard against mistakes: bash knows none.
	Roots []string

	// Independent says that each call of bash begins anew, in the workspace. Zero means
	// that directory, variables and functions stay from one call to the next.
	Independent bool

	// Env are variables for bash, besides those that keep programs from asking
	// questions.
	Env map[string]string

	// ResultTokens is how much of a result a model is given at once; the rest goes to
	// a file. Zero means 10,000; more than 25,000 is an error. A token is counted as
	// four characters.
	ResultTokens int

	// Session tells the files and processes of one conversation from those of
	// others. Empty means a random one.
	Session string

	// Approve, if it is not nil, is asked before each call of a tool that is not
	// read-only. Its error denies the call, with code and message where it is an
	// *Error.
	Approve func(ctx context.Context, t *Tool, c Call) error
}

// Bounds of Config.ResultTokens.
const (
	defaultTokens = 10_000
	maximumTokens = 25_000
)

// A Toolbox is the tools for one sandbox and one conversation. It is safe for
// concurrent use; calls of bash that share a session wait for each other.
type Toolbox struct {
	sandbox limpet.Sandbox
	cfg     Config
	store   store
	tools   []*Tool
	byName  map[string]*Tool
	shells  shells
	seen    sightings
	marks   checkpoints
	mask    mask

	home func(context.Context) (string, error)
}

// New makes the tools for a sandbox, which remains the caller's to close.
func New(s limpet.Sandbox, cfg Config) (*Toolbox, error) {
	if cfg.ResultTokens > maximumTokens || cfg.ResultTokens < 0 {
		return nil, fmt.Errorf("tools: ResultTokens is %d; at most %d can be given", cfg.ResultTokens, maximumTokens)
	}
	cfg.ResultTokens = cmp.Or(cfg.ResultTokens, defaultTokens)
	cfg.Session = cmp.Or(cfg.Session, strings.ToLower(rand.Text()[:12]))
	if cfg.Roots == nil {
		cfg.Roots = []string{s.Workspace()}
	}
	for _, r := range cfg.Roots {
		if s.Workspace() != "" && !path.IsAbs(r) {
			return nil, fmt.Errorf("tools: root %q is not absolute", r)
		}
	}
	b := &Toolbox{sandbox: s, cfg: cfg, store: storeOf(s), byName: map[string]*Tool{}, mask: maskOf(s)}
	b.shells.sandbox = s
	b.home = onceOK(b.findHome)
	return b, b.choose()
}

// choose finds which tools there are.
func (b *Toolbox) choose() error {
	for _, pattern := range b.cfg.Disabled {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("tools: disabled %q: %w", pattern, err)
		}
		if !slices.ContainsFunc(all(), func(t *Tool) bool { return matches(pattern, t) }) {
			return fmt.Errorf("tools: disabled %q matches no tool", pattern)
		}
	}
	access := limpet.AccessOf(b.sandbox)
	for _, t := range all() {
		disabled := slices.ContainsFunc(b.cfg.Disabled, func(p string) bool { return matches(p, t) })
		if disabled || access > t.needs || t.missing != nil && t.missing(b) != nil {
			continue
		}
		own := *t
		if own.describe != nil {
			own.Description = own.describe(b)
		}
		if own.OpenWorld {
			own.OpenWorld = limpet.Describe(b.sandbox).Network != "nothing"
		}
		b.tools = append(b.tools, &own)
		b.byName[t.Flat] = &own
		if _, taken := b.byName[t.Name]; !taken || t.Hidden {
			b.byName[t.Name] = &own
		}
	}
	return nil
}

// matches reports whether a pattern is for a tool.
func matches(pattern string, t *Tool) bool {
	name, _ := path.Match(pattern, t.Name)
	flat, _ := path.Match(pattern, t.Flat)
	return name || flat
}

// all returns every tool, in the order in which models are told of them.
var all = sync.OnceValue(func() []*Tool {
	list := []*Tool{
		readFile, writeFile, edit, searchReplace, bash,
		processStart, processOutput, processWrite, processList, processStop,
		list, glob, grep, applyPatch,
		checkpoint, restore, fork, changes,
		claudeBash, claudeEditor,
	}
	for _, t := range list {
		t.Input, t.Output = t.schemas()
	}
	return list
})

// All returns the tools that there are for a sandbox that can do everything.
func All() []*Tool {
	b := &Toolbox{sandbox: limpet.None{}}
	var list []*Tool
	for _, t := range all() {
		own := *t
		if own.describe != nil {
			own.Description = own.describe(b)
		}
		if !own.Hidden {
			list = append(list, &own)
		}
	}
	return list
}

// Tools returns the tools that a model is to be told of.
func (b *Toolbox) Tools() []*Tool {
	return slices.DeleteFunc(slices.Clone(b.tools), func(t *Tool) bool { return t.Hidden })
}

// Mask returns text with names in the place of the secrets of the sandbox.
func (b *Toolbox) Mask(text string) string { return b.mask.text(text) }

// Sandbox returns the sandbox.
func (b *Toolbox) Sandbox() limpet.Sandbox { return b.sandbox }

// Call calls a tool. What goes wrong is in the result, for the model to see.
func (b *Toolbox) Call(ctx context.Context, c Call) *Result {
	t := b.byName[c.Name]
	if t == nil {
		return &Result{Error: &Error{Code: CodeInvalidCall, Message: b.noSuchTool(c.Name)}}
	}
	res := &Result{Tool: t}
	var end func()
	c.Progress, end = b.mask.progress(c.Progress)
	out, err := b.run(ctx, t, c)
	end()
	if err != nil {
		e := *asError(ctx, err)
		b.mask.walk(reflect.ValueOf(&e).Elem())
		res.Error = &e
	} else {
		res.Output = b.mask.value(out)
	}
	b.shorten(ctx, res, c)
	return res
}

// run runs a tool, which may panic.
func (b *Toolbox) run(ctx context.Context, t *Tool, c Call) (out any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = failf("%s panicked: %v", t.Name, v).with("stack", string(debug.Stack()))
		}
	}()
	if b.cfg.Approve != nil && !t.ReadOnly {
		if err := b.cfg.Approve(ctx, t, c); err != nil {
			if e, ok := errors.AsType[*Error](err); ok {
				return nil, e
			}
			return nil, &Error{Code: CodeDenied, Message: "permission denied: " + t.Name, Details: map[string]any{"reason": err.Error()}}
		}
	}
	return t.call(ctx, b, c)
}

// noSuchTool is what is said of a name that no tool has.
func (b *Toolbox) noSuchTool(name string) string {
	for _, t := range all() {
		if t.Name != name && t.Flat != name {
			continue
		}
		if t.missing != nil {
			if err := t.missing(b); err != nil {
				return fmt.Sprintf("%s is not available: %v", name, err)
			}
		}
		if limpet.AccessOf(b.sandbox) == limpet.AccessNone {
			return fmt.Sprintf("%s is not available: %v", name, limpet.ErrNoSandbox)
		}
		return name + " is not available: it is switched off"
	}
	names := []string{}
	for _, t := range b.Tools() {
		names = append(names, t.Flat)
	}
	return fmt.Sprintf("there is no tool %q; there are: %s", name, strings.Join(names, ", "))
}

// Close ends the sessions of bash and forgets checkpoints.
func (b *Toolbox) Close() error {
	return errors.Join(b.shells.close(), b.marks.close())
}

// onceOK returns a function that calls f until it succeeds once.
func onceOK[T any](f func(context.Context) (T, error)) func(context.Context) (T, error) {
	var mu sync.Mutex
	var value T
	done := false
	return func(ctx context.Context) (T, error) {
		mu.Lock()
		defer mu.Unlock()
		if done {
			return value, nil
		}
		v, err := f(ctx)
		if err == nil {
			value, done = v, true
		}
		return v, err
	}
}

// findHome asks for the user's home.
func (b *Toolbox) findHome(ctx context.Context) (string, error) {
	res, err := b.sandbox.Exec(ctx, limpet.Request{Script: `printf %s "$HOME"`})
	if err != nil {
		return "", err
	}
	return string(res.Stdout), nil
}
