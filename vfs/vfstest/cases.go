package vfstest

import "slices"

// What a case needs of a file system besides what all have.
type need uint8

const (
	nothing need = iota
	users        // permissions for several users; scripts start as user 0
	nodes        // FIFOs and devices
)

// A testCase is a script for an empty file system.
type testCase struct {
	name   string
	need   need
	script string
}

// cases returns all cases.
func cases() []testCase {
	return slices.Concat(entryCases, linkCases, contentCases, statusCases, userCases, nodeCases, posixCases, tableCases)
}
