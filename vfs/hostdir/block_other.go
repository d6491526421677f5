//go:build !unix

package hostdir

// noBlock is nothing: there are no FIFOs to wait for.
const noBlock = 0
