package text

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

var _ = commands.Add(&builtins.Command{
	Name:     "tsort",
	Synopsis: "[FILE]",
	Summary:  "print items in an order that pairs of them determine",
	Run:      runTsort,
})

// A topoItem is an item of tsort.
type topoItem struct {
	name    string
	before  []*topoItem // items that come after this one, the last mentioned first
	count   int         // how many must come before
	printed bool
	link    *topoItem // in a walk that looks for a loop
}

// A topology is the items and their order.
type topology struct {
	call  *builtins.Call
	out   *output
	items map[string]*topoItem
	names []*topoItem // by name
	held  int
}

func runTsort(ctx context.Context, c *builtins.Call) (err error) {
	f := c.Flags()
	args, err := f.Parse()
	if err != nil {
		return err
	}
	if len(args) > 1 {
		return f.Fail(extraOperand(args[1]))
	}
	name := "-"
	if len(args) > 0 {
		name = args[0]
	}
	in, err := openInput(c, name)
	if err != nil {
		return builtins.FileError(name, err)
	}
	defer in.close()
	t := topology{call: c, items: make(map[string]*topoItem), out: newOutput(c)}
	defer t.out.close(&err)
	defer func() { c.Free(t.held) }()
	if err := t.read(in); err != nil {
		return readError(name, err)
	}
	return t.print(name)
}

// read reads pairs of items, the first of which comes before the second.
func (t *topology) read(in *input) error {
	var first *topoItem
	err := eachLine(t.call, in, '\n', func(line []byte) error {
		for _, word := range bytes.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }) {
			item, err := t.item(string(word))
			if err != nil {
				return err
			}
			if first == nil {
				first = item
				continue
			}
			if first != item {
				first.before = append(first.before, item)
				item.count++
			}
			first = nil
		}
		return nil
	})
	if err != nil {
		return err
	}
	if first != nil {
		return fmt.Errorf("%s: input contains an odd number of tokens", builtins.QuoteMaybe(in.name))
	}
	for _, item := range t.items {
		slices.Reverse(item.before)
		t.names = append(t.names, item)
	}
	slices.SortFunc(t.names, func(a, b *topoItem) int { return strings.Compare(a.name, b.name) })
	return nil
}

func (t *topology) item(name string) (*topoItem, error) {
	size := 16 // of the relation
	item := t.items[name]
	if item == nil {
		size += len(name) + 160
	}
	if err := t.call.Alloc(size); err != nil {
		return nil, err
	}
	t.held += size
	if item == nil {
		item = &topoItem{name: name}
		t.items[name] = item
	}
	return item, nil
}

// print prints the items in order, and breaks up loops.
func (t *topology) print(name string) error {
	for left := len(t.names); left > 0; {
		var queue []*topoItem
		for _, item := range t.names {
			if item.count == 0 && !item.printed {
				queue = append(queue, item)
			}
		}
		for len(queue) > 0 {
			item := queue[0]
			queue = queue[1:]
			t.out.buf = append(append(t.out.buf, item.name...), '\n')
			if err := t.out.spill(); err != nil {
				return err
			}
			item.printed = true
			left--
			if err := t.call.Poll(1 + len(item.before)); err != nil {
				return err
			}
			for _, next := range item.before {
				if next.count--; next.count == 0 {
					queue = append(queue, next)
				}
			}
		}
		if left > 0 {
			t.call.Warnf("%s: input contains a loop:", builtins.QuoteMaybe(name))
			if err := t.breakLoop(); err != nil {
				return err
			}
		}
	}
	return nil
}

// breakLoop finds a loop, prints it, and removes one of its relations. It walks
// backwards from an item to one that comes before it, and again, until it meets
// an item a second time.
func (t *topology) breakLoop() error {
	var loop *topoItem
	for {
		for _, item := range t.names {
			if err := t.call.Poll(1); err != nil {
				return err
			}
			if item.count == 0 {
				continue
			}
			if loop == nil {
				loop = item
				continue
			}
			i := slices.Index(item.before, loop)
			if i < 0 {
				continue
			}
			if item.link == nil {
				item.link, loop = loop, item
				continue
			}
			for loop != nil {
				next := loop.link
				t.call.Warn(errors.New(loop.name))
				if loop == item {
					item.before[i].count--
					item.before = slices.Delete(item.before, i, i+1)
					break
				}
				loop.link, loop = nil, next
			}
			for loop != nil {
				next := loop.link
				loop.link, loop = nil, next
			}
			return nil
		}
		if loop == nil {
			return io.ErrUnexpectedEOF // there are items left, so there is a loop
		}
	}
}
