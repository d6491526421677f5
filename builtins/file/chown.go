package file

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/account"
	"github.com/limpet-sh/limpet/internal/walk"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "chown",
	Synopsis: "[OPTION]... [OWNER][:[GROUP]] FILE... | --reference=RFILE FILE...",
	Summary:  "change file owner and group",
	Run: func(_ context.Context, c *builtins.Call) error {
		return newOwnerChanger(c, false).run()
	},
})

var _ = commands.Add(&builtins.Command{
	Name:     "chgrp",
	Synopsis: "[OPTION]... GROUP FILE... | --reference=RFILE FILE...",
	Summary:  "change group ownership",
	Run: func(_ context.Context, c *builtins.Call) error {
		return newOwnerChanger(c, true).run()
	},
})

// owner is a user and a group. A negative number stands for none, and an empty
// name for what shall not be mentioned.
type owner struct {
	uid, gid    int
	user, group string
}

// An ownerChanger is chown or chgrp.
type ownerChanger struct {
	c             *builtins.Call
	out           *bufio.Writer
	users, groups *account.Table
	groupOnly     bool // chgrp
	report        reporting
	recursive     bool
	follow        walk.Follow
	deref         *bool // --dereference, -h
	to, from      owner
}

func newOwnerChanger(c *builtins.Call, groupOnly bool) *ownerChanger {
	return &ownerChanger{
		c: c, out: bufio.NewWriter(c.Stdout), groupOnly: groupOnly,
		from: owner{uid: -1, gid: -1},
	}
}

func (o *ownerChanger) run() error {
	var preserveRoot bool
	var from string
	var reference *string
	f := o.c.Flags()
	o.report.flags(f)
	deref := func(on bool) func() error {
		return func() error { o.deref = &on; return nil }
	}
	f.Do("dereference", "affect the referent of each symbolic link (the default)", deref(true))
	f.Do("h,no-dereference", "affect symbolic links instead of any referenced file", deref(false))
	if !o.groupOnly {
		f.String(&from, "from", "change only files whose owner and group are `CURRENT_OWNER:CURRENT_GROUP`")
	}
	f.Do("no-preserve-root", "do not treat '/' specially (the default)", func() error { preserveRoot = false; return nil })
	f.Bool(&preserveRoot, "preserve-root", "fail to operate recursively on '/'")
	f.Func("reference", "use `RFILE`'s owner and group", func(s string) error { reference = &s; return nil })
	f.Bool(&o.recursive, "R,recursive", "operate on files and directories recursively")
	follow := func(to walk.Follow) func() error {
		return func() error { o.follow = to; return nil }
	}
	f.Do("H", "if a command line argument is a symbolic link to a directory, traverse it", follow(walk.Operand))
	f.Do("L", "traverse every symbolic link to a directory encountered", follow(walk.Always))
	f.Do("P", "do not traverse any symbolic links (default)", follow(walk.Never))
	min := 2
	names, err := f.Parse()
	if reference != nil {
		min = 1
	}
	switch {
	case err != nil:
		return err
	case len(names) == 0:
		return f.Fail(builtins.Usage("missing operand"))
	case len(names) < min:
		return f.Fail(builtins.Usage("missing operand after %s", builtins.QuoteLocale(names[0])))
	case o.recursive && o.deref != nil && *o.deref && o.follow == walk.Never:
		return errors.New("-R --dereference requires either -H or -L")
	}
	if o.recursive && o.follow == walk.Never {
		deref(false)()
	}
	o.users, o.groups = userTable(o.c), groupTable(o.c)
	if from != "" {
		if o.from, err = o.parse(from); err != nil {
			return err
		}
	}
	if reference == nil {
		o.to, err = o.parse(names[0])
		names = names[1:]
	} else {
		o.to, err = o.likeFile(*reference)
	}
	if err != nil {
		return err
	}
	return o.all(names, preserveRoot)
}

func (o *ownerChanger) all(names []string, preserveRoot bool) error {
	follow := o.follow
	if !o.recursive {
		follow = walk.Never
		if o.deref == nil || *o.deref {
			follow = walk.Operand
		}
	}
	for _, name := range names {
		if o.recursive && preserveRoot && isRoot(o.c, name) {
			warnRoot(o.c, name)
			o.c.Warnf("use --no-preserve-root to override this failsafe")
			continue
		}
		if err := walk.Tree(o.c, name, walk.Options{Follow: follow}, o.visit); err != nil {
			return finish(o.out, err)
		}
	}
	return finish(o.out, nil)
}

// parse reads OWNER, OWNER:, OWNER:GROUP or :GROUP; for chgrp, GROUP.
func (o *ownerChanger) parse(text string) (to owner, err error) {
	to = owner{uid: -1, gid: -1}
	user, group, colon := strings.Cut(text, ":")
	if o.groupOnly {
		user, group, colon = "", text, true
	}
	badUser := fmt.Errorf("invalid user: %s", builtins.QuoteLocale(text))
	if !colon && user != "" {
		// As POSIX once had it, a period will do where no name has one.
		if _, ok := o.users.Parse(user); !ok {
			if u, g, dot := strings.Cut(user, "."); dot {
				if _, ok := o.users.Parse(u); ok {
					fmt.Fprintf(o.c.Stderr, "%s: warning: '.' should be ':': %s\n", o.c.Name, builtins.QuoteLocale(text))
					user, group, colon = u, g, true
				}
			}
		}
	}
	if user != "" {
		id, ok := o.users.Parse(user)
		if !ok {
			return to, badUser
		}
		to.uid, to.user = id, strings.TrimPrefix(user, "+")
	}
	switch {
	case group != "":
		id, ok := o.groups.Parse(group)
		if !ok {
			return to, fmt.Errorf("invalid group: %s", builtins.QuoteLocale(text))
		}
		to.gid, to.group = id, strings.TrimPrefix(group, "+")
	case colon && user != "":
		row := o.users.Row(user)
		if len(row) < 4 {
			return to, fmt.Errorf("invalid spec: %s", builtins.QuoteLocale(text))
		}
		to.gid, _ = strconv.Atoi(row[3])
		to.group = o.groups.Show(to.gid)
	}
	return to, nil
}

// likeFile returns the owner of a file.
func (o *ownerChanger) likeFile(name string) (owner, error) {
	info, err := o.c.FS.Stat(name)
	if err != nil {
		return owner{}, fmt.Errorf("failed to get attributes of %s: %w", builtins.Quote(name), reason(err))
	}
	st := vfs.StatOf(info)
	to := owner{uid: st.UID, gid: st.GID, user: o.users.Show(st.UID), group: o.groups.Show(st.GID)}
	if o.groupOnly {
		to.uid, to.user = -1, ""
	}
	return to, nil
}

// visit changes directories after their content, so that taking a directory
// away from oneself does not hide what is in it.
func (o *ownerChanger) visit(e *walk.Entry) error {
	info, err := e.Info()
	if e.Post {
		if e.Err != nil && info != nil {
			if err := o.fail(fmt.Errorf("cannot read directory %s: %w", builtins.Quote(e.Path), reason(e.Err))); err != nil {
				return err
			}
		}
		if info == nil {
			info, _ = o.c.FS.Lstat(e.Path)
		}
		return o.change(e, info)
	}
	switch {
	case err == walk.ErrCycle:
		return nil
	case err != nil:
		if err := o.fail(fmt.Errorf("cannot access %s: %w", builtins.Quote(e.Path), reason(err))); err != nil {
			return err
		}
		return o.say(builtins.Quote(e.Path), nil, false)
	case info.IsDir() && o.recursive:
		return nil
	}
	if err := o.change(e, info); err != nil {
		return err
	}
	return walk.Skip
}

func (o *ownerChanger) fail(err error) error {
	if o.report.silent {
		o.c.Fail()
		return nil
	}
	return warn(o.c, err)
}

// change changes the owner of e, and says so.
func (o *ownerChanger) change(e *walk.Entry, info fs.FileInfo) error {
	deref := o.deref == nil || *o.deref
	name := builtins.Quote(e.Path)
	if isLink(info) && deref {
		target, err := o.c.FS.Stat(e.Path)
		if err != nil {
			if err := o.fail(fmt.Errorf("cannot dereference %s: %w", name, reason(err))); err != nil {
				return err
			}
			return o.say(name, info, false)
		}
		info = target
	}
	st := vfs.StatOf(info)
	if o.from.uid >= 0 && o.from.uid != st.UID || o.from.gid >= 0 && o.from.gid != st.GID {
		return o.retained(name, info)
	}
	set := o.c.FS.Lchown
	if deref {
		set = o.c.FS.Chown
	}
	if err := set(e.Path, o.to.uid, o.to.gid); err != nil {
		what := "ownership"
		if o.groupOnly {
			what = "group"
		}
		if err := o.fail(fmt.Errorf("changing %s of %s: %w", what, name, reason(err))); err != nil {
			return err
		}
		return o.say(name, info, false)
	}
	if o.to.uid >= 0 && o.to.uid != st.UID || o.to.gid >= 0 && o.to.gid != st.GID {
		return o.say(name, info, true)
	}
	return o.retained(name, info)
}

// spec returns user and group joined as messages show them.
func spec(user, group string) string {
	switch {
	case group == "":
		return user
	case user == "":
		return ":" + group
	}
	return user + ":" + group
}

// say reports a change, or a failure, from what info says.
func (o *ownerChanger) say(name string, info fs.FileInfo, ok bool) error {
	if !o.report.all && !(ok && o.report.changes) {
		return nil
	}
	what, to := "ownership", spec(o.to.user, o.to.group)
	if o.to.uid < 0 && o.to.gid >= 0 && o.groupOnly {
		what, to = "group", o.to.group
	}
	verb := "changed"
	if !ok {
		verb = "failed to change"
	}
	if info == nil {
		_, err := fmt.Fprintf(o.out, "%s %s of %s to %s\n", verb, what, name, to)
		return err
	}
	_, err := fmt.Fprintf(o.out, "%s %s of %s from %s to %s\n", verb, what, name, o.current(info), to)
	return err
}

// current returns the parts of a file's owner that are being changed.
func (o *ownerChanger) current(info fs.FileInfo) string {
	st := vfs.StatOf(info)
	user, group := o.users.Show(st.UID), o.groups.Show(st.GID)
	switch {
	case o.groupOnly:
		return group
	case o.to.gid < 0:
		return user
	}
	return user + ":" + group
}

func (o *ownerChanger) retained(name string, info fs.FileInfo) error {
	if !o.report.all {
		return nil
	}
	st := vfs.StatOf(info)
	what, now := "ownership", ""
	switch user, group := o.users.Show(st.UID), o.groups.Show(st.GID); {
	case o.to.uid >= 0 && o.to.gid >= 0:
		now = " as " + user + ":" + group
	case o.to.uid >= 0:
		now = " as " + user
	case o.to.gid >= 0 && o.groupOnly:
		what, now = "group", " as "+group
	case o.to.gid >= 0:
		now = " as :" + group
	}
	_, err := fmt.Fprintf(o.out, "%s of %s retained%s\n", what, name, now)
	return err
}
