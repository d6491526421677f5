//go:build !unix

package lease

import (
	"errors"
	"os"
)

// lockShared fails: see lock.
func lockShared(*os.File) error { return errors.ErrUnsupported }

// lockAlone fails: see lock.
func lockAlone(*os.File) error { return errors.ErrUnsupported }

// lock fails: what tells that an owner has ended is not written for this system.
func lock(*os.File) error { return errors.ErrUnsupported }
