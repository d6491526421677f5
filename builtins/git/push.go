package git

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
)

// A pushing is one run of push.
type pushing struct {
	*server
	quiet, force bool
	commands     []command
	failed       bool
}

// A command changes a reference of the server.
type command struct {
	src, dst string
	old, new hash
	status   string // why it was not done
	forced   bool
}

// push is git push, by HTTP.
func (g *git) push(args []string) error {
	quiet, force, upstream, remove, tags := false, false, false, false, false
	f := g.options("[<options>] [<repository> [<refspec>...]]")
	f.bool(&quiet, "q,quiet")
	f.bool(&force, "f,force")
	f.bool(&upstream, "u,set-upstream")
	f.bool(&remove, "d,delete")
	f.bool(&tags, "tags")
	f.ignore("no-progress,no-verify")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	args = append(args, rest...)
	if err := g.discover(); err != nil {
		return err
	}
	name, url, err := g.remoteOf(args)
	if err != nil {
		return err
	}
	specs := args[min(1, len(args)):]
	for i := range specs {
		if remove {
			specs[i] = ":" + specs[i]
		}
	}
	if len(specs) == 0 && !tags {
		spec, err := g.defaultPush(name, upstream)
		if err != nil {
			return err
		}
		specs = []string{spec}
	}
	s, err := g.connect(url, "git-receive-pack")
	if err != nil {
		return err
	}
	p := &pushing{server: s, quiet: quiet, force: force}
	if tags {
		list, err := g.refs("refs/tags/")
		if err != nil {
			return err
		}
		for _, r := range list {
			specs = append(specs, r.name)
		}
	}
	for _, spec := range specs {
		if err := p.add(spec); err != nil {
			return err
		}
	}
	if err := p.send(); err != nil {
		return err
	}
	return p.finish(name, upstream)
}

// defaultPush returns what is pushed where nothing is said.
func (g *git) defaultPush(remote string, upstream bool) (string, error) {
	head := g.head()
	if head == "" {
		return "", fatalf("You are not currently on a branch.")
	}
	name := branchName(head)
	target, ok := g.config("branch." + name + ".merge")
	switch {
	case !ok && !upstream:
		return "", fatalf("The current branch %s has no upstream branch.\nTo push the current branch and set the remote as upstream, use\n\n    git push --set-upstream %s %[1]s\n", name, remote)
	case ok && target != head && !upstream:
		return "", fatalf("The upstream branch of your current branch does not match\nthe name of your current branch.")
	}
	return head + ":" + head, nil
}

// add adds a refspec.
func (p *pushing) add(spec string) error {
	spec, plus := strings.CutPrefix(spec, "+")
	src, dst, both := strings.Cut(spec, ":")
	c := command{src: src, forced: p.force || plus}
	full := ""
	if src != "" {
		h, err := p.commitOf(src)
		if err != nil {
			return mistakef("src refspec %s does not match any\nerror: failed to push some refs to '%s'", src, anonymous(p.url))
		}
		c.new = h
		for _, prefix := range []string{"", "refs/tags/", "refs/heads/"} {
			if name := prefix + src; strings.HasPrefix(name, "refs/") {
				if h, ok := p.lookup(name); ok {
					full, c.new = name, h
				}
			}
		}
		if src == "HEAD" {
			full = p.git.head()
		}
	}
	if !both {
		dst = full
	}
	if dst == "" {
		return mistakef("src refspec %s does not match any\nerror: failed to push some refs to '%s'", src, anonymous(p.url))
	}
	if !strings.HasPrefix(dst, "refs/") {
		kind := "refs/heads/"
		if strings.HasPrefix(full, "refs/tags/") {
			kind = "refs/tags/"
		} else if _, ok := p.find("refs/tags/" + dst); ok {
			kind = "refs/tags/"
		}
		dst = kind + dst
	}
	if !validRef(dst) {
		return fatalf("invalid refspec '%s'", spec)
	}
	c.dst = dst
	c.old, _ = p.find(dst)
	p.commands = append(p.commands, c)
	return nil
}

// check rejects what would lose commits of the server.
func (p *pushing) check(c *command) error {
	if c.new == (hash{}) || c.old == (hash{}) || c.old == c.new || c.forced {
		return nil
	}
	if strings.HasPrefix(c.dst, "refs/tags/") {
		c.status = "already exists"
		return nil
	}
	if !p.objects.has(c.old) {
		c.status = "fetch first"
		return nil
	}
	forward, err := p.isAncestor(c.old, c.new)
	if err == nil && !forward {
		c.status = "non-fast-forward"
	}
	return err
}

// postBuffer is how long a request is that says its length, as with the original.
const postBuffer = 1 << 20

// send sends the commands and the objects, and reads what the server says.
func (p *pushing) send() error {
	var body bytes.Buffer
	caps := "\x00report-status agent=" + userAgent
	var fresh []hash
	for i := range p.commands {
		c := &p.commands[i]
		if err := p.check(c); err != nil {
			return err
		}
		if c.status != "" || c.old == c.new {
			continue
		}
		packet(&body, "%s %s %s%s", c.old, c.new, c.dst, caps)
		caps = ""
		if c.new != (hash{}) {
			fresh = append(fresh, c.new)
		}
	}
	if body.Len() == 0 {
		return nil
	}
	body.WriteString("0000")
	var reader io.Reader = &body
	size := int64(body.Len())
	if len(fresh) > 0 {
		w, err := p.pack(fresh)
		if err != nil {
			return err
		}
		if _, err := io.CopyN(&body, w, postBuffer); err == io.EOF {
			size = int64(body.Len())
		} else if err != nil {
			return err
		} else {
			reader, size = io.MultiReader(&body, w), -1
		}
	}
	res, err := p.request("POST", "/git-receive-pack", "git-receive-pack", reader, size)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	return p.report(bufio.NewReader(res.Body))
}

// report reads what became of the commands.
func (p *pushing) report(r *bufio.Reader) error {
	said := map[string]string{}
	for {
		line, err := readPacket(r)
		if err != nil {
			if p.Ends(err) {
				return err
			}
			return fatalf("the remote end hung up unexpectedly")
		}
		if line == nil {
			break
		}
		text := strings.TrimSpace(string(line))
		if reason, ok := strings.CutPrefix(text, "unpack "); ok && reason != "ok" {
			return mistakef("remote unpack failed: %s", reason)
		}
		if name, ok := strings.CutPrefix(text, "ok "); ok {
			said[name] = "ok"
		}
		if rest, ok := strings.CutPrefix(text, "ng "); ok {
			name, reason, _ := strings.Cut(rest, " ")
			said[name] = reason
		}
	}
	for i := range p.commands {
		c := &p.commands[i]
		if c.status == "" && c.old != c.new && said[c.dst] != "ok" {
			c.status = "remote: " + said[c.dst]
		}
	}
	return nil
}

// finish prints the report, and notes what the server has now.
func (p *pushing) finish(remote string, upstream bool) error {
	shown := false
	for _, c := range p.commands {
		src, dst := strings.TrimPrefix(c.src, "refs/heads/"), strings.TrimPrefix(strings.TrimPrefix(c.dst, "refs/heads/"), "refs/tags/")
		src = strings.TrimPrefix(src, "refs/tags/")
		line := ""
		reason, byServer := strings.CutPrefix(c.status, "remote: ")
		switch {
		case byServer:
			line = fmt.Sprintf(" ! %-17s %s -> %s (%s)", "[remote rejected]", src, dst, reason)
		case c.status != "":
			line = fmt.Sprintf(" ! %-17s %s -> %s (%s)", "[rejected]", src, dst, reason)
		case c.old == c.new:
			continue
		case c.new == (hash{}):
			line = fmt.Sprintf(" - %-17s %s", "[deleted]", dst)
		case c.old == (hash{}) && strings.HasPrefix(c.dst, "refs/tags/"):
			line = fmt.Sprintf(" * %-17s %s -> %s", "[new tag]", src, dst)
		case c.old == (hash{}):
			line = fmt.Sprintf(" * %-17s %s -> %s", "[new branch]", src, dst)
		default:
			forward := false
			if p.objects.has(c.old) {
				forward, _ = p.isAncestor(c.old, c.new)
			}
			sign, dots, note := " ", "..", ""
			if !forward {
				sign, dots, note = "+", "...", " (forced update)"
			}
			line = fmt.Sprintf(" %s %-17s %s -> %s%s", sign, p.abbrev(c.old)+dots+p.abbrev(c.new), src, dst, note)
		}
		p.failed = p.failed || c.status != ""
		if p.quiet && c.status == "" {
			continue
		}
		if !shown {
			shown = true
			fmt.Fprintf(p.Stderr, "To %s\n", anonymous(p.url))
		}
		fmt.Fprintln(p.Stderr, line)
	}
	if err := p.track(remote, upstream); err != nil {
		return err
	}
	if p.failed {
		return mistakef("failed to push some refs to '%s'", anonymous(p.url))
	}
	if !shown && !p.quiet {
		fmt.Fprintln(p.Stderr, "Everything up-to-date")
	}
	return nil
}

// track sets the branches of the remote, and the upstream of those that are pushed.
func (p *pushing) track(remote string, upstream bool) error {
	for _, c := range p.commands {
		name, ok := strings.CutPrefix(c.dst, "refs/heads/")
		if !ok || c.status != "" || remote == "" {
			continue
		}
		here := "refs/remotes/" + remote + "/" + name
		if c.new == (hash{}) {
			if _, have := p.lookup(here); have {
				if err := p.deleteRef(here); err != nil {
					return err
				}
			}
			continue
		}
		if old, _ := p.lookup(here); old != c.new {
			if err := p.setRef(here, c.new, "update by push"); err != nil {
				return err
			}
		}
		if branch := strings.TrimPrefix(c.src, "refs/heads/"); upstream {
			if c.src == "HEAD" {
				branch = branchName(p.git.head())
			}
			config := p.repo.common + "/config"
			if err := p.setConfig(config, "branch."+branch+".remote", &remote); err != nil {
				return err
			}
			if err := p.setConfig(config, "branch."+branch+".merge", &c.dst); err != nil {
				return err
			}
			fmt.Fprintf(p.out, "branch '%s' set up to track '%s/%s'.\n", branch, remote, name)
		}
	}
	return nil
}
