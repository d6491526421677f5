package git

import (
	"fmt"
	"strings"

	"github.com/limpet-sh/limpet/vfs"
)

// message returns the message.
func (c *commitRun) message(previous *commit, author *signature) (string, error) {
	text := ""
	switch {
	case len(c.messages) > 0:
		text = strings.Join(c.messages, "\n\n")
	case c.file != "":
		data, err := c.inputFile(c.file)
		if err != nil {
			return "", fatalf("could not read log file '%s': %v", c.file, vfs.ErrnoOf(err))
		}
		text = data
	case c.reuse != "":
		h, err := c.commitOf(c.reuse)
		if err != nil {
			return "", fatalf("could not lookup commit %s", c.reuse)
		}
		source, err := c.objects.commit(h)
		if err != nil {
			return "", err
		}
		text = source.message
	case c.fixup != "":
		h, err := c.commitOf(c.fixup)
		if err != nil {
			return "", fatalf("could not lookup commit %s", c.fixup)
		}
		source, err := c.objects.commit(h)
		if err != nil {
			return "", err
		}
		text = "fixup! " + subjectOf(source.message)
	case c.amend:
		text = previous.message
	default:
		fmt.Fprint(c.Stderr, "error: there is no editor here; give the message by either -m or -F option.\n")
		return "", exitStatus(1)
	}
	if c.cleanup != "verbatim" {
		text = cleanMessage(text, c.cleanup == "strip")
	}
	if c.signoff {
		who, err := c.committer()
		if err != nil {
			return "", err
		}
		c.trailers = append(c.trailers, "Signed-off-by: "+who.name+" <"+who.email+">")
	}
	for _, t := range c.trailers {
		text = addTrailer(text, t)
	}
	return text, nil
}

// addTrailer adds a line such as Signed-off-by to the end of a message.
func addTrailer(text, trailer string) string {
	if key, value, ok := strings.Cut(trailer, "="); ok && !strings.Contains(key, ":") {
		trailer = key + ": " + value
	}
	paragraphs := strings.Split(strings.TrimRight(text, "\n"), "\n\n")
	lines := strings.Split(paragraphs[len(paragraphs)-1], "\n")
	isTrailers := len(paragraphs) > 1
	for _, line := range lines {
		if line == trailer {
			return text
		}
		key, _, ok := strings.Cut(line, ": ")
		isTrailers = isTrailers && ok && !strings.Contains(key, " ")
	}
	if isTrailers {
		return text + trailer + "\n"
	}
	return text + "\n" + trailer + "\n"
}

// inputFile returns the content of a file, or of standard input for "-".
func (g *git) inputFile(name string) (string, error) {
	if name == "-" {
		list, err := g.inputLines(false)
		return strings.Join(list, "\n") + "\n", err
	}
	data, err := vfs.ReadFile(g.FS, name)
	return string(data), err
}

// cleanMessage removes white space at the ends of lines, and lines that are empty
// at the beginning, at the end and beside others; comments too.
func cleanMessage(text string, comments bool) string {
	var lines []string
	blank := false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " \t\r\v\f")
		if comments && strings.HasPrefix(line, "#") {
			continue
		}
		if line == "" {
			blank = len(lines) > 0
			continue
		}
		if blank {
			lines = append(lines, "")
		}
		blank = false
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}
