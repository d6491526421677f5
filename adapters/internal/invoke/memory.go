package invoke

import (
	"maps"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/internal/quote"
)

// A Memory is what one script of a conversation leaves to the next: a directory of
// the sandbox with the files state and dir, which the shell writes when it ends.
//
// What stays is the directory, variables with their attributes, and functions;
// options, traps and aliases do not.
type Memory struct {
	Path string // of the directory
}

// Prologue returns the text of a file for BASH_ENV, which makes a bash begin where the
// last one has ended, and remember where it ends. Env is for this script only.
func (m Memory) Prologue(env map[string]string) string {
	var b strings.Builder
	b.WriteString("unset BASH_ENV\n__limpet_at=" + quote.Single(m.Path) + "\n")
	b.WriteString(`[ ! -e "$__limpet_at/state" ] || . "$__limpet_at/state" 2> /dev/null # what cannot be set again is not news` + "\n")
	b.WriteString("__limpet_given=()\n__limpet_old=\n")
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if identifier(name) {
			b.WriteString("__limpet_given+=(" + name + "); __limpet_old+=$(declare -p " + name + " 2> /dev/null)$'\\n'; export " + name + "=" + quote.Single(env[name]) + "\n")
		}
	}
	b.WriteString(remember)
	return b.String()
}

// remember saves the state at the end, before a trap that the script may have set.
// The function trap keeps it there. A subshell saves nothing.
const remember = `__limpet_save() {
  local __limpet_status=$? __limpet_name
  [ "$BASHPID" = "$$" ] || return "$__limpet_status"
  set +eu
  {
    printf '%s' "$__limpet_old"
    for __limpet_name in $(compgen -v); do
      case $__limpet_name in
        __limpet_*|BASH|BASHOPTS|BASHPID|BASH_*|COMP_*|DIRSTACK|EPOCH*|EUID|FUNCNAME|GROUPS|HISTCMD|HOSTNAME|HOSTTYPE|LINENO|MACHTYPE|OPTARG|OPTERR|OPTIND|OSTYPE|PIPESTATUS|PPID|PWD|RANDOM|SECONDS|SHELLOPTS|SHLVL|SRANDOM|UID|_) continue ;;
      esac
      case " ${__limpet_given[*]} " in *" $__limpet_name "*) continue ;; esac
      declare -p "$__limpet_name"
    done
    unset -f trap __limpet_save __limpet_trap
    declare -f
    for __limpet_name in $(compgen -A function); do
      case $(declare -F -p "$__limpet_name" 2> /dev/null) in "declare -fx "*) printf 'export -f -- %q\n' "$__limpet_name" ;; esac
    done
  } > "$__limpet_at/state.new" 2> /dev/null < /dev/null && pwd > "$__limpet_at/dir.new" &&
    command mv -f "$__limpet_at/state.new" "$__limpet_at/state" && command mv -f "$__limpet_at/dir.new" "$__limpet_at/dir"
  return "$__limpet_status"
}
__limpet_trap() {
  case $2 in __limpet_save*) ;; *) builtin trap "__limpet_save
$2" EXIT ;; esac
}
trap() {
  builtin trap "$@" || return
  [ "$BASHPID" = "$$" ] || return 0
  local now
  now=$(builtin trap -p EXIT)
  if [ -z "$now" ]; then builtin trap __limpet_save EXIT; else eval "__limpet_trap ${now#trap}"; fi
}
builtin trap __limpet_save EXIT
`

// identifier reports whether name is one of a shell variable.
func identifier(name string) bool {
	for i := range len(name) {
		c := name[i]
		if c != '_' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}
