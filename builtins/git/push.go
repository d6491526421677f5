package git

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	stdhash "hash"
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
			return mistakef("src refspec %s does not match any\nerror: failed to push some refs to '%s'", src, p.url)
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
		return mistakef("src refspec %s does not match any\nerror: failed to push some refs to '%s'", src, p.url)
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
			fmt.Fprintf(p.Stderr, "To %s\n", p.url)
		}
		fmt.Fprintln(p.Stderr, line)
	}
	if err := p.track(remote, upstream); err != nil {
		return err
	}
	if p.failed {
		return mistakef("failed to push some refs to '%s'", p.url)
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

// pack lists the objects that the server lacks, and returns the pack of them.
func (p *pushing) pack(fresh []hash) (*packWriter, error) {
	l := &lister{git: p.git, seen: map[hash]bool{}}
	for _, r := range p.refs { // what the server has, as far as it is known here
		if err := l.skip(r.hash); err != nil {
			return nil, err
		}
	}
	for _, h := range fresh {
		if err := l.object(h, 0); err != nil {
			return nil, err
		}
	}
	w := &packWriter{git: p.git, list: l.list, sum: sha1.New()}
	head := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), uint32(len(l.list)))
	w.put(head)
	return w, nil
}

// A lister lists objects that others need.
type lister struct {
	*git
	seen map[hash]bool
	list []hash
}

// skip marks what can be reached from an object of the server.
func (l *lister) skip(h hash) error {
	if !l.objects.has(h) {
		return nil
	}
	reached := map[hash]uint8{}
	h, kind, err := l.objects.peel(h)
	if err != nil || kind != "commit" {
		return err
	}
	if err := l.reach([]hash{h}, reached, 1); err != nil {
		return err
	}
	for c := range reached {
		l.seen[c] = true
	}
	c, err := l.objects.commit(h)
	if err != nil {
		return err
	}
	n := len(l.list)
	err = l.treeObjects(c.tree, 0)
	l.list = l.list[:n] // they are seen, and not to be sent
	return err
}

// object lists an object and what it needs.
func (l *lister) object(h hash, depth int) error {
	for todo := []hash{h}; len(todo) > 0; {
		h := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if l.seen[h] {
			continue
		}
		if err := l.mark(h); err != nil {
			return err
		}
		o, err := l.objects.read(h)
		if err != nil {
			return err
		}
		l.objects.free(o)
		switch o.kind {
		case "tag":
			todo = append(todo, parseTag(o.data).target)
		case "commit":
			c, err := l.objects.commit(h)
			if err != nil {
				return err
			}
			todo = append(todo, c.parents...)
			if err := l.treeObjects(c.tree, depth); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *lister) mark(h hash) error {
	l.seen[h] = true
	l.list = append(l.list, h)
	return l.hold(100)
}

// treeObjects lists a tree and what is in it.
func (l *lister) treeObjects(h hash, depth int) error {
	if l.seen[h] {
		return nil
	}
	if depth > 1000 {
		return fatalf("trees are nested too deeply")
	}
	if err := l.mark(h); err != nil {
		return err
	}
	entries, err := l.objects.tree(h)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := l.Poll(1); err != nil {
			return err
		}
		switch {
		case e.mode == 0o160000 || l.seen[e.hash]:
		case e.mode == 0o40000:
			err = l.treeObjects(e.hash, depth+1)
		default:
			err = l.mark(e.hash)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A packWriter is a pack that is made as it is read.
type packWriter struct {
	*git
	list []hash
	buf  bytes.Buffer
	sum  stdhash.Hash
	done bool
}

func (w *packWriter) put(b []byte) {
	w.buf.Write(b)
	w.sum.Write(b)
}

// Read reads the next part.
func (w *packWriter) Read(b []byte) (int, error) {
	for w.buf.Len() == 0 {
		switch {
		case w.done:
			return 0, io.EOF
		case len(w.list) == 0:
			w.done = true
			w.buf.Write(w.sum.Sum(nil))
		default:
			if err := w.next(); err != nil {
				return 0, err
			}
		}
	}
	return w.buf.Read(b)
}

// next adds an object.
func (w *packWriter) next() error {
	o, err := w.objects.read(w.list[0])
	if err != nil {
		return err
	}
	defer w.objects.free(o)
	w.list = w.list[1:]
	kind := byte(0)
	for i, name := range kinds {
		if name == o.kind {
			kind = byte(i)
		}
	}
	n := len(o.data)
	c := kind<<4 | byte(n&15)
	var head []byte
	for n >>= 4; n > 0; n >>= 7 {
		head = append(head, c|0x80)
		c = byte(n & 0x7f)
	}
	w.put(append(head, c))
	var z bytes.Buffer
	deflate := zlib.NewWriter(&z)
	if _, err := deflate.Write(o.data); err != nil {
		return err
	}
	if err := deflate.Close(); err != nil {
		return err
	}
	w.put(z.Bytes())
	return nil
}
