package find

import (
	"time"

	"github.com/limpet-sh/limpet/internal/walk"
)

// predicates are what expressions consist of, by the name of their arguments.
// The function makes the table, since it refers to what refers to the table.
var predicates = func() map[string]predicate {
	table := map[string]predicate{}
	for _, part := range []map[string]predicate{options, names, attributes, times, actions} {
		for name, p := range part {
			table[name] = p
		}
	}
	return table
}()

// options are the predicates that change how to search.
var options = map[string]predicate{
	"-d":                   option(setDepth),
	"-depth":               option(setDepth),
	"-daystart":            option(setDayStart),
	"-follow":              option(func(f *finder) { f.follow = walk.Always }),
	"-ignore_readdir_race": option(func(*finder) {}), // there are no races: a directory is read at once
	"-noignore_readdir_race": option(func(*finder) {
	}),
	"-maxdepth":    levels(func(f *finder, n int) { f.maxDepth = n }),
	"-mindepth":    levels(func(f *finder, n int) { f.minDepth = n }),
	"-mount":       option(func(f *finder) { f.oneFS = true }),
	"-xdev":        option(func(f *finder) { f.oneFS = true }),
	"-noleaf":      option(func(*finder) {}), // about link counts, which we do not rely on
	"-warn":        option(func(f *finder) { f.warnings = true }),
	"-nowarn":      option(func(f *finder) { f.warnings = false }),
	"-regextype":   {parse: parseRegexType},
	"-files0-from": {parse: parseFilesFrom},
	"-true":        option(func(*finder) {}),
	"-false": {parse: func(*parser, string) (test, error) {
		return func(*walk.Entry) bool { return false }, nil
	}},
}

func setDepth(f *finder) { f.depth = true }

// setDayStart makes days begin at midnight.
func setDayStart(f *finder) {
	if f.fromToday {
		return
	}
	f.fromToday = true
	now := f.now.In(f.zone)
	f.dayStart = time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, f.zone)
}
