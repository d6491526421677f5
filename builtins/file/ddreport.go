package file

import (
	"fmt"
)

// report prints what was copied.
func (d *ddCopier) report() {
	if d.status == "none" {
		return
	}
	w := d.c.Stderr
	fmt.Fprintf(w, "%d+%d records in\n%d+%d records out\n", d.full, d.partial, d.fullOut, d.partialOut)
	switch n := d.converter.truncated; {
	case n == 1:
		fmt.Fprintln(w, "1 truncated record")
	case n > 1:
		fmt.Fprintf(w, "%d truncated records\n", n)
	}
	if d.status == "noxfer" {
		return
	}
	elapsed := d.c.Clock.Now().Sub(d.start).Seconds()
	rate := "Infinity B"
	if elapsed > 0 {
		rate = rateOf(float64(d.written) / elapsed)
	}
	amount := fmt.Sprintf("%d bytes", d.written)
	switch {
	case d.written == 1:
		amount = "1 byte"
	case d.written >= 1024:
		amount += " (" + nearest(d.written, 1000, "B") + ", " + nearest(d.written, 1024, "iB") + ")"
	case d.written >= 1000:
		amount += " (" + nearest(d.written, 1000, "B") + ")"
	}
	fmt.Fprintf(w, "%s copied, %.6g s, %s/s\n", amount, elapsed, rate)
}

// nearest shows n in the unit that suits it, rounded to the nearest.
func nearest(n int64, base float64, suffix string) string {
	v, power := float64(n), 0
	for v >= base && power < len(units) {
		v /= base
		power++
	}
	unit := units[power-1 : power]
	if power == 1 && base == 1000 {
		unit = "k"
	}
	text := fmt.Sprintf("%.1f", v)
	if len(text) > 3 {
		text = fmt.Sprintf("%.0f", v)
	}
	return text + " " + unit + suffix
}

// rateOf shows a number of bytes in a second.
func rateOf(v float64) string {
	power := 0
	for v /= 1000; v >= 1000 && power < len(units)-1; v /= 1000 {
		power++
	}
	unit := units[power : power+1]
	if power == 0 {
		unit = "k"
	}
	text := fmt.Sprintf("%.1f", v)
	if len(text) > 4 {
		text = fmt.Sprintf("%.0f", v)
	}
	return text + " " + unit + "B"
}
