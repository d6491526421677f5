package tools

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/limpet-sh/limpet"
)

type globInput struct {
	Pattern string `json:"pattern" arg:"length=1" jsonschema:"A pattern such as **/*.go or src/*.{ts,tsx}; ** is any number of directories"`
	Path    string `json:"path,omitempty" arg:"default=\".\"" jsonschema:"Where to look; the workspace unless given"`
}

type globOutput struct {
	Path         string   `json:"path"`
	Files        []string `json:"files"`
	Total        int      `json:"total"`
	WasTruncated bool     `json:"was_truncated"`
	SkippedDirs  int      `json:"skipped_directories" jsonschema:"Directories of version control, which are not looked into"`
}

// Text is one line a file.
func (o globOutput) Text() string {
	text := strings.Join(o.Files, "\n")
	switch {
	case o.WasTruncated:
		text += fmt.Sprintf("\n[%d of %d files; use a narrower pattern]", len(o.Files), o.Total)
	case o.Total == 0:
		text = "[no file matches]"
	}
	if o.SkippedDirs > 0 {
		text += fmt.Sprintf("\n[%d directories of version control were not looked into]", o.SkippedDirs)
	}
	return text
}

var errTooMany = errors.New("too many files")

var glob = define(Tool{
	Name: "file_system.glob", Flat: "glob", Title: "Find files by name", ReadOnly: true, Idempotent: true, Extension: true,
	Description: "Finds files and links whose name relative to path matches a pattern, hidden and ignored ones too, in the order of names, at most 1000. Does not look into .git, .hg, .svn and .jj.",
	needs:       limpet.AccessFiles,
}, func(ctx context.Context, b *Toolbox, _ Call, in globInput) (globOutput, error) {
	patterns, err := compileGlob(in.Pattern)
	if err != nil {
		return globOutput{}, err
	}
	e, err := b.dir(ctx, in.Path)
	if err != nil {
		return globOutput{}, err
	}
	out := globOutput{Path: e.path, Files: []string{}}
	seen := 0
	err = b.store.walk(ctx, e.path, true, func(it item) error {
		if seen++; seen > walkedEntries {
			return errTooMany
		}
		if it.kind == directory {
			if isVersionControl(path.Base(it.name)) {
				out.SkippedDirs++
			}
			return nil
		}
		parts := strings.Split(it.name, "/")
		for _, dir := range parts[:len(parts)-1] {
			if isVersionControl(dir) {
				return nil
			}
		}
		for _, p := range patterns {
			if matchParts(p, parts) {
				if out.Total++; len(out.Files) < listedEntries {
					out.Files = append(out.Files, it.name)
				}
				break
			}
		}
		return nil
	})
	if errors.Is(err, errTooMany) {
		return out, failf("there are more than %d files in %s: look in a directory of it", walkedEntries, in.Path)
	}
	if err != nil {
		return out, b.fileError(in.Path, err)
	}
	out.WasTruncated = out.Total > len(out.Files)
	return out, nil
})

func isVersionControl(name string) bool {
	return name == ".git" || name == ".hg" || name == ".svn" || name == ".jj"
}

// maximumAlternatives is how many patterns braces may stand for.
const maximumAlternatives = 256

// compileGlob returns the patterns that a pattern with braces stands for, by
// directories.
func compileGlob(pattern string) ([][]string, error) {
	list, err := expandBraces(pattern)
	if err != nil {
		return nil, err
	}
	var patterns [][]string
	for _, p := range list {
		p = strings.TrimPrefix(path.Clean(p), "./")
		if strings.HasPrefix(p, "/") || p == ".." || strings.HasPrefix(p, "../") {
			return nil, failf("pattern %s: it must be relative to path, and not lead out of it", pattern)
		}
		parts := strings.Split(p, "/")
		for _, part := range parts {
			if _, err := path.Match(part, ""); err != nil {
				return nil, failf("pattern %s: %v", pattern, err)
			}
		}
		patterns = append(patterns, parts)
	}
	return patterns, nil
}

// expandBraces replaces {a,b}, which may be nested, by its alternatives.
func expandBraces(pattern string) ([]string, error) {
	done := []string{}
	queue := []string{pattern}
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		open, commas, end := braces(p)
		if end < 0 {
			done = append(done, p)
		} else {
			from := open + 1
			for _, at := range append(commas, end) {
				queue = append(queue, p[:open]+p[from:at]+p[end+1:])
				from = at + 1
			}
		}
		if len(done)+len(queue) > maximumAlternatives {
			return nil, failf("pattern %s: more than %d alternatives", pattern, maximumAlternatives)
		}
	}
	return done, nil
}

// braces finds the first pair with a comma in it; end is -1 where there is none.
func braces(p string) (open int, commas []int, end int) {
	for start := 0; start < len(p); start++ {
		if p[start] == '\\' {
			start++
			continue
		}
		if p[start] != '{' {
			continue
		}
		depth, commas := 0, []int(nil)
		for i := start; i < len(p); i++ {
			switch p[i] {
			case '\\':
				i++
			case '{':
				depth++
			case '}':
				if depth--; depth == 0 {
					if commas != nil {
						return start, commas, i
					}
					i = len(p)
				}
			case ',':
				if depth == 1 {
					commas = append(commas, i)
				}
			}
		}
	}
	return 0, nil, -1
}

// matchParts matches a name with a pattern, by directories. It remembers where the
// last ** was, as one goes back for * in a name; so it takes quadratic time at most.
func matchParts(pattern, name []string) bool {
	p, n := 0, 0
	star, resume := -1, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == "**":
			star, resume = p, n
			p++
			continue
		case p < len(pattern):
			if ok, _ := path.Match(pattern[p], name[n]); ok {
				p, n = p+1, n+1
				continue
			}
		}
		if star < 0 {
			return false
		}
		resume++
		p, n = star+1, resume
	}
	for p < len(pattern) && pattern[p] == "**" {
		p++
	}
	return p == len(pattern)
}
