//go:build !unix

package lease

import (
	"errors"
	"os"
)

// lock fails: what tells that an owner has ended is not written for this system.
func lock(*os.File) error { return errors.ErrUnsupported }
