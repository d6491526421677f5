package fuzz

import (
	"math/rand/v2"
	"strings"
)

// A Mutator writes scripts that are those of a corpus with something wrong: text left out,
// repeated a thousand times, put elsewhere or within something else, numbers at the ends of their
// types, bytes that are no text, pieces of other scripts.
type Mutator struct {
	Seed uint64

	// Corpus are the scripts. None means those of [Hostile].
	Corpus []string
}

// maxMutated is how long a mutated script may be, in bytes.
const maxMutated = 128 << 10

// Script returns the script with the number n.
func (m Mutator) Script(n uint64) string {
	r := rand.New(rand.NewPCG(m.Seed, n))
	corpus := m.Corpus
	if len(corpus) == 0 {
		corpus = Hostile()
	}
	script := corpus[r.IntN(len(corpus))]
	for range 1 + r.IntN(6) {
		next := mutations[r.IntN(len(mutations))](r, script, corpus)
		if len(next) <= maxMutated {
			script = next
		}
	}
	return script
}

// Mutate returns data with a few changes: bytes that are others, left out, repeated, or those of
// another place.
func Mutate(r *rand.Rand, data []byte) []byte {
	s := string(data)
	for range 1 + r.IntN(4) {
		s = mutations[r.IntN(bytewise)](r, s, []string{s})
	}
	return []byte(s)
}

// bytewise is how many of the mutations are of any bytes, and not of scripts.
const bytewise = 5

// mutations change a script.
var mutations = []func(r *rand.Rand, s string, corpus []string) string{
	func(r *rand.Rand, s string, _ []string) string { // a byte is another
		if s == "" {
			return s
		}
		at := r.IntN(len(s))
		return s[:at] + string([]byte{byte(r.IntN(256))}) + s[at+1:]
	},
	func(r *rand.Rand, s string, _ []string) string { // a piece is left out
		from, to := piece(r, s)
		return s[:from] + s[to:]
	},
	func(r *rand.Rand, s string, _ []string) string { // a piece is somewhere else too
		from, to := piece(r, s)
		at := r.IntN(len(s) + 1)
		return s[:at] + s[from:to] + s[at:]
	},
	func(r *rand.Rand, s string, _ []string) string { // a piece is repeated
		from, to := piece(r, s)
		times := []int{2, 3, 10, 100, 1000, 20_000}[r.IntN(6)]
		if (to-from)*times > maxMutated {
			return s
		}
		return s[:to] + strings.Repeat(s[from:to], times) + s[to:]
	},
	func(r *rand.Rand, s string, corpus []string) string { // it ends as another does
		other := corpus[r.IntN(len(corpus))]
		return s[:r.IntN(len(s)+1)] + other[r.IntN(len(other)+1):]
	},
	func(r *rand.Rand, s string, _ []string) string { // a piece of syntax comes in
		at := r.IntN(len(s) + 1)
		return s[:at] + tokens[r.IntN(len(tokens))] + s[at:]
	},
	func(r *rand.Rand, s string, _ []string) string { // a number is another
		places := numbers(s)
		if len(places) == 0 {
			return s
		}
		p := places[r.IntN(len(places))]
		return s[:p[0]] + sizes[r.IntN(len(sizes))] + s[p[1]:]
	},
	func(r *rand.Rand, s string, _ []string) string { // it is within something else
		w := wrappings[r.IntN(len(wrappings))]
		return w[0] + s + w[1]
	},
	func(r *rand.Rand, s string, corpus []string) string { // two run side by side
		return "{ " + s + "\n} | {\n" + corpus[r.IntN(len(corpus))] + "\n}"
	},
}

// piece returns a range of s: some bytes, or a line.
func piece(r *rand.Rand, s string) (from, to int) {
	if s == "" {
		return 0, 0
	}
	from = r.IntN(len(s))
	if r.IntN(3) == 0 {
		from = strings.LastIndexByte(s[:from], '\n') + 1
		if to = strings.IndexByte(s[from:], '\n'); to >= 0 {
			return from, from + to + 1
		}
	}
	return from, min(len(s), from+1+r.IntN(1+r.IntN(40)))
}

// numbers returns where numbers are.
func numbers(s string) (places [][2]int) {
	for i := 0; i < len(s); i++ {
		from := i
		for i < len(s) && '0' <= s[i] && s[i] <= '9' {
			i++
		}
		if i > from {
			places = append(places, [2]int{from, i})
		}
	}
	return places
}

// tokens are pieces of syntax.
var tokens = strings.Fields(`$( ) $(( )) ${ } " ' ` + "`" + ` ; & && || | |& < > >> << <<- <<< <( >( >& {fd}> { ( [[ ]] ] \ $' ~ ! # = += ? * @( +( !( [!a-]
	if then else elif fi for in do done while until case esac function select time coproc $@ "$@" $* ${#x} ${!x} ${x@P} ${x//a/bb} $RANDOM $$ $!
	eval exec trap source local declare -A -n -i export unset readonly set -- shift return break continue exit wait kill read mapfile getopts
	a[0] a[-1] a[@] {1..9} {a,b} %s %d 10# 0x -9223372036854775808 9223372036854775807 /dev/zero /dev/fd/0 /dev/tcp/127.0.0.1/80 /proc/self/fd ../.. `)

// sizes are numbers at which something might go wrong.
var sizes = strings.Fields(`0 1 -1 2 7 63 64 65 127 128 255 256 1000 4095 4096 4097 32767 65535 65536 100000 999999 1048576 16777216 2147483647 2147483648
	4294967295 4294967296 99999999999 9007199254740993 9223372036854775807 9223372036854775808 18446744073709551615 18446744073709551616 1e9 1e308 1e400 0x7fffffff 077 1.5 .5 nan inf`)

// wrappings are what a script can be within.
var wrappings = [][2]string{
	{"(", "\n)"}, {"{ ", "\n}"}, {"x=$(", "\n)"}, {"f() { ", "\n}; f; f | f"}, {"while :; do ", "\ndone"}, {"for i in {1..1000}; do ", "\ndone"},
	{"cat <(", "\n)"}, {"eval \"", "\""}, {"trap '", "' EXIT DEBUG ERR"}, {"bash -c '", "'"}, {"", " &\nwait"}, {"coproc {", "\n}; cat <&${COPROC[0]}"},
	{"set -e; ", ""}, {"set -x; ", ""}, {"if ", "\nthen :; fi"}, {"cat <<E\n", "\nE\n"}, {"timeout 1 bash -c '", "'"}, {"echo '", "' | xargs -n1 -P8"},
	{"case x in x) ", "\n;; esac"}, {"[[ -n $(", "\n) ]]"}, {"(( x = $(", "\n) ))"}, {"exec 3<> f; { ", "\n} >&3 <&3"}, {"mapfile -t m < <(", "\n)"},
}
