package builtins

import "github.com/limpet-sh/limpet/internal/quote"

// Quote quotes a name as GNU tools do in messages that always quote: 'name',
// with an escape form for what a shell could not take between single quotes.
func Quote(name string) string { return quote.Always(name) }

// QuoteMaybe quotes a name as GNU tools do where quotes are shown only when a
// shell would need them.
func QuoteMaybe(name string) string { return quote.Maybe(name) }

// QuoteLocale quotes a value as GNU tools do in messages whose quotes follow
// the locale: ‘value’.
func QuoteLocale(value string) string { return quote.Locale(value) }
