module github.com/limpet-sh/limpet

go 1.26.0

require github.com/spf13/afero v1.15.0

require golang.org/x/text v0.28.0 // indirect
