package sqlite

import (
	"context"
	"fmt"
	"reflect"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/limits"
	"github.com/ncruces/go-sqlite3"
)

const (
	allowance  = 4 << 20   // what a connection may use to begin with
	instructed = 64        // steps that are charged where SQLite asks whether to go on
	maxMemory  = 2 << 30   // of a connection, where nothing else bounds it
	overhead   = 512 << 10 // of its memory that SQLite does not allocate: stack and constants
)

// An account is the context of a connection. SQLite asks for its Err after each
// thousand instructions of its machine, which is where the connection's memory
// is charged: what it has allocated, and as much ahead of that as it may
// allocate until it asks again. What would exceed that fails, and is tried again
// with more; see [database.step].
type account struct {
	context.Context
	call  *builtins.Call
	conn  *sqlite3.Conn
	held  int           // that is charged
	inUse reflect.Value // the connection's memory
	err   error         // why the call must end
}

// open charges for a new connection.
func (a *account) open() (max int64, err error) {
	if err := a.call.Alloc(allowance); err != nil {
		return 0, err
	}
	a.held = allowance
	max = maxMemory
	if limit := a.call.Meter.Limit(limits.Memory); limit >= 0 {
		max = min(max, limit+allowance)
	}
	return max, nil
}

// watch begins to watch the memory of a connection.
func (a *account) watch(conn *sqlite3.Conn) {
	a.conn = conn
	// The package has no function that tells how much memory a connection has.
	a.inUse = reflect.ValueOf(conn).Elem().FieldByName("wrp").Elem().FieldByName("Memory").Elem().FieldByName("Buf")
	conn.HardHeapLimit(int64(a.held - overhead))
	a.shortenReals()
}

// The member of the structure of a connection that says how many digits the text
// of a real number has, and what it is where nobody has changed it.
const (
	digitsOffset  = 98
	digitsDefault = 17
)

// shortenReals gives the text of real numbers 15 digits, as releases before 3.53
// do. Where SQLite's DBCONFIG_FP_DIGITS would be the way, the package has no
// function that takes a number.
func (a *account) shortenReals() {
	at := reflect.ValueOf(a.conn).Elem().FieldByName("handle").Uint() + digitsOffset
	if memory := a.inUse.Bytes(); at < uint64(len(memory)) && memory[at] == digitsDefault {
		memory[at] = 15
	}
}

// close gives back everything.
func (a *account) close() {
	a.call.Free(a.held)
	a.held, a.conn = 0, nil
}

// Err returns an error when the call must end.
func (a *account) Err() error {
	if a.err != nil {
		return a.err
	}
	if a.err = a.Context.Err(); a.err == nil {
		a.err = a.call.Poll(instructed)
	}
	if a.err == nil && a.conn != nil {
		if used := a.inUse.Len(); used+max(allowance/2, used/4) > a.held {
			a.raise(used + max(allowance, used)) // where there is not as much, so be it
		}
	}
	return a.err
}

// raise allows the connection to have n bytes, and reports whether it may.
func (a *account) raise(n int) bool {
	if n <= a.held {
		return true
	}
	if !a.call.Meter.Fits(limits.Memory, int64(n-a.held)) || a.call.Alloc(n-a.held) != nil {
		return false
	}
	a.held = n
	a.conn.HardHeapLimit(int64(n - overhead))
	return true
}

// ensure makes room for an allocation of n bytes.
func (a *account) ensure(n int) error {
	if a.raise(a.inUse.Len() + n + allowance/2) {
		return nil
	}
	return a.exhausted()
}

// grow allows for twice the memory, after too little was allowed, and reports
// whether there was any more.
func (a *account) grow() bool {
	if a.raise(2 * a.held) {
		return true
	}
	free := int(a.call.Meter.Limit(limits.Memory) - a.call.Meter.Used(limits.Memory))
	return free > allowance && a.raise(a.held+free-allowance/4)
}

// exhausted says that there is no more memory.
func (a *account) exhausted() error {
	a.err = a.call.Meter.Exceed(limits.Memory)
	return a.err
}

// outOfMemory reports whether what was recovered from a panic is SQLite's lack
// of memory.
func outOfMemory(recovered any) bool {
	return recovered != nil && fmt.Sprint(recovered) == "sqlite3: out of memory"
}
