package serve

import (
	"context"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/client"
)

func process(p limpet.ProcessInfo) client.Process {
	return client.Process{ID: p.ID, Command: p.Command, Status: string(p.Status), ExitCode: p.ExitCode, Started: p.Started}
}

// processes returns the processes that there are, after those of before that are lost.
func (held *session) processes(ctx context.Context, before []client.Process) []client.Process {
	table, err := held.shell.Processes()
	if err != nil {
		return nil // there can be none
	}
	now, err := table.List(ctx)
	if err != nil {
		return before
	}
	list := slices.DeleteFunc(slices.Clone(before), func(p client.Process) bool { return p.Status != string(limpet.ProcessOrphaned) })
	for _, p := range now {
		list = append(list, process(p))
	}
	return list
}

// busy reports whether processes run in the background.
func (held *session) busy(ctx context.Context) bool {
	return slices.ContainsFunc(held.processes(ctx, nil), func(p client.Process) bool { return p.Status == string(limpet.ProcessRunning) })
}

// table returns the processes, for a request about the one with the id. The output of
// one that is lost is lost too.
func (held *session) table(id string) (limpet.Processes, error) {
	table, err := held.shell.Processes()
	if err != nil {
		return nil, huma.Error422UnprocessableEntity("the session was made without background")
	}
	lost := func(p client.Process) bool { return p.ID == id && p.Status == string(limpet.ProcessOrphaned) }
	if slices.ContainsFunc(held.record().Processes, lost) {
		return nil, huma.Error410Gone("the process " + id + " was lost with a server that has ended")
	}
	return table, nil
}

func (held *session) startProcess(ctx context.Context, req client.ProcessRequest) (p client.Process, err error) {
	table, err := held.table(req.ID)
	if err != nil {
		return p, err
	}
	err = held.change(ctx, func() error {
		info, err := table.Start(context.WithoutCancel(ctx), limpet.ProcessRequest{ID: req.ID, Command: req.Command, Dir: req.Dir, Env: req.Env})
		p = process(info)
		return err
	})
	return p, err
}

func (held *session) processOutput(ctx context.Context, id string, offset int64, most int, wait float64) (out client.ProcessOutput, err error) {
	table, err := held.table(id)
	if err != nil {
		return out, err
	}
	o, err := table.Output(ctx, id, limpet.OutputRequest{Cursor: offset, Max: most, Wait: time.Duration(wait * float64(time.Second))})
	if err != nil {
		return out, err
	}
	return client.ProcessOutput{
		Process: process(o.ProcessInfo), Chunk: client.NewChunk(o.Data),
		Start: o.Start, Next: o.Next, Oldest: o.Oldest, Available: o.Available,
	}, nil
}

func (held *session) stopProcess(ctx context.Context, id string) (p client.Process, err error) {
	table, err := held.table(id)
	if err != nil {
		return p, err
	}
	err = held.change(ctx, func() error {
		info, err := table.Stop(ctx, id)
		p = process(info)
		return err
	})
	return p, err
}

func (held *session) writeProcess(ctx context.Context, id string, data []byte) (n int, err error) {
	table, err := held.table(id)
	if err != nil {
		return 0, err
	}
	_, n, err = table.Write(ctx, id, data)
	return n, err
}
