package limpet

import "github.com/limpet-sh/limpet/internal/analysis"

// An Analysis is what a script statically names; see [Analyze].
type Analysis = analysis.Analysis

// What an [Analysis] lists.
type (
	// An AnalyzedCommand is a command that a script may run.
	AnalyzedCommand = analysis.Command
	// An AnalyzedRedirection is a file that a script may open.
	AnalyzedRedirection = analysis.Redirection
	// An AnalyzedName is the name of a function or variable that it sets.
	AnalyzedName = analysis.Name
	// An AnalyzedWord is an argument, with its value where that is known.
	AnalyzedWord = analysis.Word
	// An AnalyzedNetwork is a use of the network.
	AnalyzedNetwork = analysis.Network
	// An Opaque is something of which the analysis cannot know what it does.
	Opaque = analysis.Opaque
	// A Position is a line and a column of a script.
	Position = analysis.Position
)

// Analyze returns what a script names, without running it: commands with their
// arguments, files that redirections open, functions, variables that are set, and
// uses of the network. It is for asking a person, or a policy, before a script
// runs.
//
// What it cannot know is in Opaque, with the reason: eval of text that is
// computed, names of commands that are computed, files that are sourced, aliases.
// Only a script without any does no more than the lists say; and what a command
// does with its arguments is for the reader of the lists to know. A [Watch.Approve]
// sees what is really run.
//
// An error says that the script cannot be read: it is larger than 1 MiB, or
// nested too deeply. Syntax errors are Opaque: bash runs what stands before one.
func Analyze(script string) (*Analysis, error) { return analysis.Of(script) }
