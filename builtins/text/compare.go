package text

// compareFolded compares a and b without regard to the case of ASCII letters.
func compareFolded(a, b []byte) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		if x, y := upper(a[i]), upper(b[i]); x != y {
			return int(x) - int(y)
		}
	}
	return len(a) - len(b)
}
