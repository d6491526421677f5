// Package all gathers every command of this module that a sandbox has unless it
// is told otherwise.
package all

import (
	"slices"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/builtins/archive"
	"github.com/limpet-sh/limpet/builtins/awk"
	"github.com/limpet-sh/limpet/builtins/data"
	"github.com/limpet-sh/limpet/builtins/digest"
	"github.com/limpet-sh/limpet/builtins/file"
	"github.com/limpet-sh/limpet/builtins/find"
	"github.com/limpet-sh/limpet/builtins/jq"
	"github.com/limpet-sh/limpet/builtins/parallel"
	"github.com/limpet-sh/limpet/builtins/search"
	"github.com/limpet-sh/limpet/builtins/system"
	"github.com/limpet-sh/limpet/builtins/text"
	"github.com/limpet-sh/limpet/builtins/yq"
)

// Commands returns every command. The build tag slim leaves out those that a web page
// can do without: sqlite3 and html2markdown, which are large, and those for the network.
func Commands() []*builtins.Command {
	return slices.Concat(
		archive.Commands(),
		awk.Commands(),
		data.Commands(),
		digest.Commands(),
		file.Commands(),
		find.Commands(),
		jq.Commands(),
		parallel.Commands(),
		search.Commands(),
		system.Commands(),
		text.Commands(),
		yq.Commands(),
		optional(),
	)
}
