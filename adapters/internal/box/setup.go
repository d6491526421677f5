package box

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/limpet-sh/limpet/internal/quote"
)

// A material is what every command sources first. The zero material is none.
type material struct {
	mu    sync.Mutex
	fresh time.Time // until when it need not be renewed
}

// Bundle returns the file in the sandbox, below its control directory, that has the
// authorities to trust, as [proxy.Pass.Setup] wants it.
func Bundle(control string) string { return control + "/authorities.pem" }

// setupScript writes the two files whole or not at all. The authorities are those of the
// sandbox, as far as it has any, and that of the proxy.
const setupScript = `umask 077; C=%s T=%s
head -c %d > "$T.pem" && cat > "$T.sh" && [ $(wc -c < "$T.pem") = %[3]d ] && [ $(wc -c < "$T.sh") = %d ] || { rm -f "$T.pem" "$T.sh"; echo cut; exit; }
for f in /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/ca-bundle.pem /etc/ssl/cert.pem; do
  if [ -s "$f" ]; then { echo; cat "$f"; } >> "$T.pem"; break; fi
done
mv -f "$T.pem" "$C/authorities.pem" && mv -f "$T.sh" "$C/setup" && echo ok`

// prepare renews the material when half of its time is over, so that a command has at
// least the other half.
func (b *Box) prepare(ctx context.Context) error {
	if b.opts.Setup == nil {
		return nil
	}
	b.material.mu.Lock()
	defer b.material.mu.Unlock()
	if time.Now().Before(b.material.fresh) {
		return nil
	}
	s, err := b.opts.Setup(ctx)
	if err != nil {
		return fmt.Errorf("%s: cannot set up the proxy of the sandbox: %w", b.opts.Kind, err)
	}
	script := fmt.Sprintf(setupScript, quote.Single(b.opts.Control), quote.Single(b.opts.Control+"/new."+newName()), len(s.CA), len(s.Script))
	for range tries {
		out, err := b.call(ctx, script, append(s.CA[:len(s.CA):len(s.CA)], s.Script...))
		if err != nil {
			return err
		}
		if string(out) == "ok\n" {
			now := time.Now()
			b.material.fresh = now.Add(s.Expires.Sub(now) / 2)
			return nil
		}
	}
	return errors.New(b.opts.Kind + ": cannot write what sets up the proxy of the sandbox")
}
