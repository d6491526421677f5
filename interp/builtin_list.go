package interp

import (
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/internal/quote"
)

// letters are the attributes in the order in which declare -p shows them.
var letters = []struct {
	letter byte
	bit    uint32
}{
	{'a', vIndexed}, {'A', vAssoc}, {'i', vInteger}, {'n', vNameref}, {'r', vReadonly},
	{'t', vTrace}, {'x', vExport}, {'c', vCapital}, {'l', vLower}, {'u', vUpper},
}

func attributeText(flags uint32) string {
	s := "-"
	for _, l := range letters {
		if flags&l.bit != 0 {
			s += string(l.letter)
		}
	}
	if s == "-" {
		s = "--"
	}
	return s
}

// declaredText returns what declare -p prints of a variable.
func (sh *Shell) declaredText(name string, v *variable) string {
	if v.flags&vDynamic != 0 {
		v = sh.snapshot(name, v)
	}
	text := "declare " + attributeText(v.flags) + " " + name
	switch {
	case v.flags&vNameref != 0:
		if v.str != "" {
			text += "=" + quote.Double(v.str)
		}
	case v.flags&vIndexed != 0:
		if v.flags&vSet != 0 || v.arr.len() > 0 {
			text += "=" + sh.quoteDeclared(v)
		}
	case v.flags&vAssoc != 0:
		if v.flags&vSet != 0 || v.assoc.len() > 0 {
			text += "=" + sh.quoteDeclared(v)
		}
	case v.flags&vSet != 0:
		text += "=" + sh.quoteDeclared(v)
	}
	return text + "\n"
}

// snapshot returns a dynamic variable as it is now.
func (sh *Shell) snapshot(_ string, v *variable) *variable {
	if v.dyn.list != nil {
		w := sh.listVariable(v.dyn.list(sh))
		w.flags |= v.flags & vAttrs &^ vDynamic
		return w
	}
	if v.dyn.pairs != nil {
		w := pairsVariable(v.dyn.pairs(sh))
		w.flags |= v.flags & vAttrs &^ vDynamic
		return w
	}
	return &variable{flags: v.flags&^vDynamic | vSet | vStr, str: v.dyn.get(sh)}
}

// list prints variables, or functions, as declare without names does.
func (d *declaration) list() ctl {
	sh := d.sh
	if d.function || d.names {
		return d.listFunctions()
	}
	var b strings.Builder
	want := d.on
	names := sh.variableNames(func(name string, v *variable) bool {
		switch {
		case !v.exists() || v.flags&vDynamic != 0 && name == "_":
			return false
		case d.name == "local":
			return v.flags&vLocal != 0 && sh.isLocal(sh.id(name))
		case kinds(v)&want != want:
			return false
		case (d.name == "export" || d.name == "readonly" || want != 0 || d.print):
			return true
		}
		return v.flags&(vSet|vDynamic) != 0
	})
	for _, name := range names {
		v := sh.lookupRaw(name)
		if d.name == "local" || d.name == "export" || d.name == "readonly" || want != 0 || d.print {
			if sh.is(optPosix) && (d.name == "export" || d.name == "readonly") {
				b.WriteString(d.name + strings.TrimPrefix(sh.declaredText(name, v), "declare "+attributeText(v.flags)))
				continue
			}
			b.WriteString(sh.declaredText(name, v))
			continue
		}
		b.WriteString(sh.setText(name, v))
	}
	if d.name == "declare" && want == 0 && !d.print {
		b.WriteString(sh.allFunctions())
	}
	if !sh.print(d.name, b.String()) {
		return ctlNone
	}
	return sh.done(0)
}

// kinds returns the flags of v as declare lists it.
func kinds(v *variable) uint32 {
	switch {
	case v.flags&vDynamic == 0:
	case v.dyn.pairs != nil:
		return v.flags | vAssoc
	case v.dyn.list != nil:
		return v.flags | vIndexed
	}
	return v.flags
}

// lookupRaw returns the variable called name, and not what it refers to.
func (sh *Shell) lookupRaw(name string) *variable {
	id, ok := sh.names.lookup(name)
	if !ok || id >= len(sh.vars) {
		return unsetVariable
	}
	return sh.vars[id]
}

// setText returns what set prints of a variable.
func (sh *Shell) setText(name string, v *variable) string {
	if v.flags&vDynamic != 0 {
		v = sh.snapshot(name, v)
	}
	switch {
	case v.flags&(vIndexed|vAssoc) != 0:
		return name + "=" + sh.quoteDeclared(v) + "\n"
	}
	return name + "=" + quote.Listing(v.text(sh)) + "\n"
}

// allVariables returns what set prints.
func (sh *Shell) allVariables() string {
	var b strings.Builder
	for _, name := range sh.variableNames(func(_ string, v *variable) bool {
		return v.flags&(vSet|vDynamic) != 0
	}) {
		v := sh.lookupRaw(name)
		if v.flags&vDynamic != 0 && v.dyn.list != nil && len(v.dyn.list(sh)) == 0 {
			continue
		}
		b.WriteString(sh.setText(name, v))
	}
	return b.String()
}

// allFunctions returns the text of every function, by name.
func (sh *Shell) allFunctions() string {
	var b strings.Builder
	for _, name := range sh.functionList() {
		b.WriteString(sh.printFunction(sh.function(name)) + "\n")
	}
	return b.String()
}

// functionList returns the names of the functions, sorted.
func (sh *Shell) functionList() []string {
	var names []string
	for _, f := range sh.funcs {
		if f != nil {
			names = append(names, f.name)
		}
	}
	slices.Sort(names)
	return names
}

// printNames prints the declarations of names.
func (d *declaration) printNames(args []declared) ctl {
	sh := d.sh
	status := 0
	for _, a := range args {
		name := a.word
		if a.assign != nil {
			name = a.assign.name
		}
		v := sh.lookupRaw(name)
		if !v.exists() || d.name == "local" && !sh.isLocal(sh.id(name)) {
			if f := sh.function(name); f != nil && d.function {
				sh.print(d.name, sh.printFunction(f)+"\n")
				continue
			}
			sh.complain(d.name, "%s: not found", name)
			status = 1
			continue
		}
		if !sh.print(d.name, sh.declaredText(name, v)) {
			return ctlNone
		}
	}
	return sh.done(status)
}

// functionFlags is what declare -F prints before the name of a function.
func functionFlags(f *function) string {
	s := "-f"
	if f.readonly {
		s += "r"
	}
	if f.trace {
		s += "t"
	}
	if f.exported {
		s += "x"
	}
	return s
}

func (d *declaration) listFunctions() ctl {
	sh := d.sh
	var b strings.Builder
	for _, name := range sh.functionList() {
		f := sh.function(name)
		switch {
		case d.on&vExport != 0 && !f.exported || d.on&vReadonly != 0 && !f.readonly:
		case d.names:
			b.WriteString("declare " + functionFlags(f) + " " + name + "\n")
		default:
			b.WriteString(sh.printFunction(f) + "\n")
			if flags := functionFlags(f); flags != "-f" {
				b.WriteString("declare " + flags + " " + name + "\n")
			}
		}
	}
	if !sh.print(d.name, b.String()) {
		return ctlNone
	}
	return sh.done(0)
}

// functions prints functions, or changes their attributes.
func (d *declaration) functions(args []declared) ctl {
	sh := d.sh
	status := 0
	for _, a := range args {
		name := a.word
		if a.assign != nil {
			sh.complain(d.name, "cannot use `-f' to make functions")
			return sh.done(1)
		}
		f := sh.function(name)
		if f == nil {
			if d.name == "export" || d.name == "readonly" {
				sh.complain(d.name, "%s: not a function", name)
			}
			status = 1
			continue
		}
		if on := d.on; on != 0 || d.off != 0 {
			id := sh.id(name)
			g := *f
			g.exported = (g.exported || on&vExport != 0) && d.off&vExport == 0
			sh.env = nil
			g.readonly = g.readonly || on&vReadonly != 0
			g.trace = g.trace && d.off&vTrace == 0 || on&vTrace != 0
			sh.setFunc(id, &g)
			sh.env = nil
			continue
		}
		switch {
		case d.names && sh.shopt(shoptExtdebug):
			sh.print(d.name, name+" "+itoa(int64(f.line))+" "+sh.fileOf(f)+"\n")
		case d.names && d.print:
			sh.print(d.name, "declare "+functionFlags(f)+" "+name+"\n")
		case d.names:
			sh.print(d.name, name+"\n")
		default:
			sh.print(d.name, sh.printFunction(f)+"\n")
			if flags := functionFlags(f); d.print && flags != "-f" {
				sh.print(d.name, "declare "+flags+" "+name+"\n")
			}
		}
	}
	return sh.done(status)
}

func (sh *Shell) fileOf(f *function) string {
	if f.file == "" {
		return sh.environmentName()
	}
	return f.file
}

// quoteDeclared returns the value of v as declare -p shows it.
func (sh *Shell) quoteDeclared(v *variable) string {
	switch {
	case v.flags&vIndexed != 0:
		var b strings.Builder
		b.WriteByte('(')
		for n, i := range v.arr.indices() {
			if n > 0 {
				b.WriteByte(' ')
			}
			e, _ := v.arr.get(i)
			b.WriteString("[" + itoa(i) + "]=" + quote.Double(e.text()))
		}
		return b.String() + ")"
	case v.flags&vAssoc != 0:
		var b strings.Builder
		b.WriteByte('(')
		v.assoc.all(func(key, value string) {
			b.WriteString("[" + quoteKey(key) + "]=" + quote.Double(value) + " ")
		})
		return b.String() + ")"
	}
	return quote.Double(v.text(sh))
}

// quoteKey quotes a key of an associative array where it has to be.
func quoteKey(key string) string {
	if key == "@" || key == "*" || strings.ContainsFunc(key, func(r rune) bool {
		return !(r == '_' || r == '-' || r == '.' || r == '/' || r == ':' || r == '+' || r == ',' || r == '%' || r == '=' ||
			r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0x80 && r != 0xFFFD)
	}) {
		return quote.Double(key)
	}
	return key
}
