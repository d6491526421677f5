//go:build linux

package isolate

import (
	"context"

	"github.com/limpet-sh/limpet"
)

// processes are those in the background of a sandbox.
type processes struct{ sandbox *Sandbox }

// Processes returns the background processes, where the configuration allows them.
func (s *Sandbox) Processes() (limpet.Processes, error) {
	if !s.cfg.Shell.Background {
		return nil, &limpet.UnsupportedError{Sandbox: "isolate", Reason: "background processes are switched off: see Config.Shell.Background"}
	}
	return &processes{s}, nil
}

// A processCall is a call of one of the methods of [limpet.Processes].
type processCall struct {
	ID      string
	Start   limpet.ProcessRequest
	Request limpet.OutputRequest
	Data    []byte
}

// A processAnswer is what such a method returns, besides an error.
type processAnswer struct {
	Info   limpet.ProcessInfo
	List   []limpet.ProcessInfo
	Output limpet.ProcessOutput
	Bytes  int
	Fault  *fault
}

func (p *processes) do(ctx context.Context, method string, c processCall) (a processAnswer, err error) {
	process, end, err := p.sandbox.use(ctx)
	if err != nil {
		return a, err
	}
	defer end()
	a, err = call[processAnswer](ctx, process.peer, "process."+method, c)
	if err == nil {
		err = a.Fault.err()
	}
	return a, process.or(err)
}

func (p *processes) Start(ctx context.Context, req limpet.ProcessRequest) (limpet.ProcessInfo, error) {
	a, err := p.do(ctx, "start", processCall{Start: req})
	return a.Info, err
}

func (p *processes) Output(ctx context.Context, id string, req limpet.OutputRequest) (limpet.ProcessOutput, error) {
	a, err := p.do(ctx, "output", processCall{ID: id, Request: req})
	return a.Output, err
}

func (p *processes) Write(ctx context.Context, id string, data []byte) (limpet.ProcessInfo, int, error) {
	a, err := p.do(ctx, "write", processCall{ID: id, Data: data})
	return a.Info, a.Bytes, err
}

func (p *processes) List(ctx context.Context) ([]limpet.ProcessInfo, error) {
	a, err := p.do(ctx, "list", processCall{})
	return a.List, err
}

func (p *processes) Stop(ctx context.Context, id string) (limpet.ProcessInfo, error) {
	a, err := p.do(ctx, "stop", processCall{ID: id})
	return a.Info, err
}

// processMethods adds the methods of [limpet.Processes], in the process of the sandbox.
func (c *child) processMethods(m map[string]handler) {
	for name, do := range map[string]func(ctx context.Context, p limpet.Processes, c processCall, a *processAnswer) error{
		"start": func(ctx context.Context, p limpet.Processes, c processCall, a *processAnswer) (err error) {
			a.Info, err = p.Start(ctx, c.Start)
			return err
		},
		"output": func(ctx context.Context, p limpet.Processes, c processCall, a *processAnswer) (err error) {
			a.Output, err = p.Output(ctx, c.ID, c.Request)
			return err
		},
		"write": func(ctx context.Context, p limpet.Processes, c processCall, a *processAnswer) (err error) {
			a.Info, a.Bytes, err = p.Write(ctx, c.ID, c.Data)
			return err
		},
		"list": func(ctx context.Context, p limpet.Processes, _ processCall, a *processAnswer) (err error) {
			a.List, err = p.List(ctx)
			return err
		},
		"stop": func(ctx context.Context, p limpet.Processes, c processCall, a *processAnswer) (err error) {
			a.Info, err = p.Stop(ctx, c.ID)
			return err
		},
	} {
		m["process."+name] = handle(func(ctx context.Context, call processCall) (a processAnswer, err error) {
			p, err := limpet.ProcessesOf(c.shell)
			if err == nil {
				err = do(ctx, p, call, &a)
			}
			a.Fault = faultOf(err)
			return a, nil
		})
	}
}
