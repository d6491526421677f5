package linediff

// A mark says whether a line takes part in the search for equal lines.
type mark uint8

const (
	keepLine  mark = iota
	dropLine       // the other file does not have it
	maybeDrop      // the other file has it so often that it says little
)

// marks returns which of the lines mine can be left out of a comparison with the
// lines other. GNU diff leaves out what is frequent too, where it is surrounded
// by what the other file lacks: the changes that are found depend on it.
func marks(mine, other []int32) []mark {
	count := make(map[int32]int, len(other))
	for _, c := range other {
		count[c]++
	}
	many := 5
	for n := len(mine) / 64 >> 2; n > 0; n >>= 2 {
		many *= 2
	}
	list := make([]mark, len(mine))
	for i, c := range mine {
		switch n := count[c]; {
		case n == 0:
			list[i] = dropLine
		case n > many:
			list[i] = maybeDrop
		}
	}
	for i := 0; i < len(list); i++ {
		switch list[i] {
		case maybeDrop:
			list[i] = keepLine
		case dropLine:
			i += settleRun(list[i:]) - 1
		}
	}
	return list
}

// settleRun decides about the run of lines to drop that list begins with, and
// returns its length. The run ends with a line that the other file lacks.
func settleRun(list []mark) int {
	end := 0
	for end < len(list) && list[end] != keepLine {
		end++
	}
	for list[end-1] == maybeDrop {
		end--
		list[end] = keepLine
	}
	run := list[:end]
	frequent := 0
	for _, m := range run {
		if m == maybeDrop {
			frequent++
		}
	}
	if frequent*4 > len(run) {
		keepAll(run)
		return end
	}
	keepLong(run)
	keepEdge(len(run), func(i int) *mark { return &run[i] })
	keepEdge(len(run), func(i int) *mark { return &run[len(run)-1-i] })
	return end
}

// keepAll keeps the frequent lines of a run.
func keepAll(run []mark) {
	for i, m := range run {
		if m == maybeDrop {
			run[i] = keepLine
		}
	}
}

// keepLong keeps frequent lines of which more follow each other than the length of
// the run allows, about the root of a quarter of it.
func keepLong(run []mark) {
	most := 1
	for n := len(run) >> 4; n > 0; n >>= 2 {
		most <<= 1
	}
	for i := 0; i < len(run); {
		if run[i] != maybeDrop {
			i++
			continue
		}
		end := i
		for end < len(run) && run[end] == maybeDrop {
			end++
		}
		if end-i > most {
			keepAll(run[i:end])
		}
		i = end
	}
}

// keepEdge keeps the frequent lines at one end of a run: up to three lines in a
// row that the other file lacks, or the first of those after eight lines.
func keepEdge(length int, at func(int) *mark) {
	row := 0
	for i := 0; i < length && row < 3; i++ {
		switch m := at(i); *m {
		case dropLine:
			if i >= 8 {
				return
			}
			row++
		default:
			*m, row = keepLine, 0
		}
	}
}
