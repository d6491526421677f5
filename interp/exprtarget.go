package interp

// A target is a variable or an element in an expression.
type target struct {
	id    int
	index *subscriptExpr
}

func (c *compiler) target(name string, index *subscriptExpr) target {
	return target{c.id(name), index}
}

func (t target) read() arith {
	id, index := t.id, t.index
	if index != nil {
		return func(sh *Shell) int64 { return sh.elementInt(id, index) }
	}
	return func(sh *Shell) int64 {
		v := sh.vars[id]
		if v.flags&(vNum|vSlowRead) == vNum {
			return v.num
		}
		return sh.intOf(id)
	}
}

func (t target) write(sh *Shell, n int64) {
	if sh.pending != ctlNone {
		return
	}
	if t.index != nil {
		sh.assignElementInt(t.id, t.index, n)
		return
	}
	sh.assignInt(t.id, n)
}

func (t target) assign(r arith) arith {
	if t.index != nil {
		return func(sh *Shell) int64 {
			n := r(sh)
			t.write(sh, n)
			return n
		}
	}
	id := t.id
	return func(sh *Shell) int64 {
		n := r(sh)
		if sh.pending == ctlNone {
			sh.assignInt(id, n)
		}
		return n
	}
}

func (t target) update(apply binaryOp, r arith) arith {
	if t.index != nil {
		return t.updateElement(apply, r)
	}
	id := t.id
	return func(sh *Shell) int64 {
		n := sh.intOf(id)
		m := r(sh)
		if sh.pending != ctlNone {
			return 0
		}
		n = apply(sh, n, m)
		if sh.pending == ctlNone {
			sh.assignInt(id, n)
		}
		return n
	}
}

func (t target) increment(d int64, post bool) arith {
	if t.index != nil {
		e := t.updateElement(func(_ *Shell, a, _ int64) int64 { return a + d }, func(*Shell) int64 { return 0 })
		if !post {
			return e
		}
		return func(sh *Shell) int64 { return e(sh) - d }
	}
	id := t.id
	return func(sh *Shell) int64 {
		v := sh.vars[id]
		if v.owner == sh.owner && v.flags&(vSlowWrite|vNum) == vNum {
			n := v.num
			v.setNum(n + d)
			if post {
				return n
			}
			return n + d
		}
		n := sh.intOf(id)
		if sh.pending != ctlNone {
			return 0
		}
		sh.assignInt(id, n+d)
		if post {
			return n
		}
		return n + d
	}
}

// updateElement evaluates the subscript once.
func (t target) updateElement(apply binaryOp, r arith) arith {
	return func(sh *Shell) int64 {
		existed := sh.resolve(t.id).exists()
		index := sh.fixed(t.id, t.index)
		n := int64(0)
		if existed { // Bash: the subscript may make the array, which is no longer looked at
			n = sh.elementInt(t.id, index)
		}
		m := r(sh)
		if sh.pending != ctlNone {
			return 0
		}
		n = apply(sh, n, m)
		target{t.id, index}.write(sh, n)
		return n
	}
}

// fixed returns a subscript with the value that index has now.
func (sh *Shell) fixed(id int, index *subscriptExpr) *subscriptExpr {
	f := &subscriptExpr{raw: index.raw, owner: index.owner}
	if sh.resolve(id).flags&vAssoc != 0 {
		key := index.key(sh)
		f.key = constant(key)
		return f
	}
	n := index.value(sh)
	sh.indexFailed()
	f.number = func(*Shell) int64 { return n }
	return f
}
