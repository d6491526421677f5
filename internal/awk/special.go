package awk

// A special is a variable that means something to the interpreter.
type special uint8

const (
	spNone special = iota
	spNF
	spNR
	spFNR
	spRT
	spFS
	spOFS
	spORS
	spRS
	spSUBSEP
	spCONVFMT
	spOFMT
	spIGNORECASE
	spFPAT
	spFIELDWIDTHS
	spRSTART
	spRLENGTH
	spFILENAME
	spERRNO
	spARGC
	spARGV
	spARGIND
	spENVIRON
	spPROCINFO
	spSYMTAB
	spFUNCTAB
)

// specials has the names of the special variables.
var specials = map[string]special{
	"NF": spNF, "NR": spNR, "FNR": spFNR, "RT": spRT, "FS": spFS, "OFS": spOFS, "ORS": spORS,
	"RS": spRS, "SUBSEP": spSUBSEP, "CONVFMT": spCONVFMT, "OFMT": spOFMT,
	"IGNORECASE": spIGNORECASE, "FPAT": spFPAT, "FIELDWIDTHS": spFIELDWIDTHS,
	"RSTART": spRSTART, "RLENGTH": spRLENGTH, "FILENAME": spFILENAME, "ERRNO": spERRNO,
	"ARGC": spARGC, "ARGV": spARGV, "ARGIND": spARGIND, "ENVIRON": spENVIRON,
	"PROCINFO": spPROCINFO, "SYMTAB": spSYMTAB, "FUNCTAB": spFUNCTAB,
}

// live reports whether reading s needs more than its slot, or assigning to it
// has an effect.
func (s special) live() bool { return s >= spNF && s <= spFIELDWIDTHS }

// initial has the values that special variables begin with.
var initial = map[special]value{
	spFS: str(" "), spOFS: str(" "), spORS: str("\n"), spRS: str("\n"), spSUBSEP: str("\x1c"),
	spCONVFMT: str("%.6g"), spOFMT: str("%.6g"), spIGNORECASE: num(0), spFPAT: str("[^[:space:]]+"),
	spFIELDWIDTHS: str(""), spRSTART: num(0), spRLENGTH: num(0), spFILENAME: str(""),
	spERRNO: str(""), spARGIND: num(0), spRT: str(""),
}

// special returns a special variable as a string.
func (m *machine) special(s special) string { return m.str(m.slot(s)) }

// slot returns where the value of s is kept.
func (m *machine) slot(s special) *value { return &m.globals[m.specials[s]] }

// setSpecial assigns to a special variable that is not live.
func (m *machine) setSpecial(s special, v value) {
	p := m.slot(s)
	m.resize(len(p.s), len(v.s))
	*p = v
}

// readSpecial returns the value of a special variable, which it brings up to
// date first.
func (m *machine) readSpecial(s special) value {
	switch s {
	case spNF:
		return num(float64(m.rec.count()))
	case spNR:
		return num(m.nr)
	case spFNR:
		return num(m.fnr)
	case spRT:
		return str(m.string(m.rt))
	}
	return *m.slot(s)
}

// writeSpecial assigns to a special variable, and does what follows from that.
func (m *machine) writeSpecial(s special, v value) {
	m.setSpecial(s, v)
	switch s {
	case spNF:
		m.rec.setCount(int(clamp(v.num(), -1, 1<<31)))
	case spNR:
		m.nr = v.num()
	case spFNR:
		m.fnr = v.num()
	case spRT:
		m.rt = []byte(m.str(&v))
	case spOFS:
		if m.rec.stale { // it was to be put together with the old one
			m.rec.rebuild()
		}
		m.ofs = m.str(&v)
	case spORS:
		m.ors = m.str(&v)
	case spRS:
		m.rs = m.str(&v)
		m.splitterChanged(spNone)
	case spSUBSEP:
		m.subsep = m.str(&v)
	case spCONVFMT:
		m.convfmt = m.str(&v)
	case spOFMT:
		m.ofmt = m.str(&v)
	case spIGNORECASE:
		m.ignorecase = v.test()
		for i, re := range m.constants {
			if re != nil {
				re.re.Close()
				m.constants[i] = nil
			}
		}
		m.splitterChanged(spNone)
	case spFS, spFPAT, spFIELDWIDTHS:
		m.splitterChanged(s)
	}
}

// clamp returns n, or the bound that it lies beyond.
func clamp(n, low, high float64) float64 {
	switch {
	case n > high:
		return high
	case n >= low:
		return n
	}
	return low
}
