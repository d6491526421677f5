package file

import (
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/zone"
)

// localTime returns the time now, in the zone that TZ names.
func localTime(c *builtins.Call) time.Time {
	return c.Clock.Now().In(zone.Load(c.Getenv("TZ")))
}
