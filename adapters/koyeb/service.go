package koyeb

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"time"
)

// callTime bounds one request.
const callTime = 30 * time.Second

// A definition is what a service is.
type definition struct {
	Name      string `json:"name"`
	Type      string `json:"type"`
	Docker    any    `json:"docker"`
	Env       []pair `json:"env"`
	Ports     []any  `json:"ports"`
	Routes    []any  `json:"routes"`
	Instances []any  `json:"instance_types"`
	Regions   []any  `json:"regions"`
	Scalings  []any  `json:"scalings"`
}

// A pair is a variable.
type pair struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// An object is one of JSON.
type object map[string]any

// define makes the definition of a service.
func (c Config) define(name, secret string) definition {
	d := definition{
		Name: name, Type: "SANDBOX", Docker: object{"image": cmp.Or(c.Image, DefaultImage)},
		Env:       []pair{{"SANDBOX_SECRET", secret}},
		Ports:     []any{object{"port": 3030, "protocol": "http"}, object{"port": 3031, "protocol": "http"}},
		Routes:    []any{object{"port": 3030, "path": "/koyeb-sandbox/"}, object{"port": 3031, "path": "/"}},
		Instances: []any{object{"type": cmp.Or(c.Instance, "medium")}},
		Regions:   []any{cmp.Or(c.Region, os.Getenv("KOYEB_REGION"), "na")},
		Scalings:  []any{object{"min": 1, "max": 1}},
	}
	if c.IdleTimeout > 0 {
		d.Scalings = []any{object{"min": 0, "max": 1, "targets": []any{
			object{"sleep_idle_delay": object{"deep_sleep_value": int(c.IdleTimeout.Seconds())}},
		}}}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Secrets)) {
		d.Env = append(d.Env, pair{name, "{{ secret." + c.Secrets[name] + " }}"})
	}
	return d
}

// newSecret returns the secret of a sandbox.
func newSecret() string {
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(random[:])
}

// A service is a machine.
type service struct {
	api     *api
	app     string
	id      string
	base    string // of the executor
	public  string // what the world reaches a bound port at
	routing string // the key of the edge; "" where there is none
}

// nobody is the id of an app that there is not, for what is only validated.
const nobody = "00000000-0000-0000-0000-000000000000"

// validate has the control plane look at a service without making it.
func (a *api) validate(ctx context.Context, c Config, d definition) error {
	return a.call(ctx, http.MethodPost, "/v1/services", url.Values{"dry_run": {"true"}}, c.request(nobody, d), nil)
}

// request is the body that makes a service.
func (c Config) request(app string, d definition) object {
	return object{"app_id": app, "definition": d, "life_cycle": object{
		"delete_after_create": int(cmp.Or(c.Lifetime, 24*time.Hour).Seconds()), "delete_after_sleep": int(c.DeleteAfterSleep.Seconds()),
	}}
}

// create makes an app with a name. Its id is to be noted before anything else.
func (a *api) create(ctx context.Context, name string) (app string, err error) {
	var answer struct{ App struct{ ID string } }
	err = a.call(ctx, http.MethodPost, "/v1/apps", nil, object{"name": name, "life_cycle": object{"delete_when_empty": true}}, &answer)
	if err == nil && answer.App.ID == "" {
		err = errors.New("koyeb: an app without an id")
	}
	return answer.App.ID, err
}

// start makes the service in an app and waits until it is ready.
func (a *api) start(ctx context.Context, c Config, app string, d definition) (*service, error) {
	var answer struct{ Service struct{ ID string } }
	if err := a.call(ctx, http.MethodPost, "/v1/services", nil, c.request(app, d), &answer); err != nil {
		return nil, err
	}
	s := &service{api: a, app: app, id: answer.Service.ID}
	limit := cmp.Or(c.Ready, 5*time.Minute)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("koyeb: the machine was not ready after %v: %w", limit, context.DeadlineExceeded))
	defer cancel()
	most := cmp.Or(c.Pause, time.Second)
	for pause := most / 10; ; pause = min(2*pause, most) {
		ready, err := s.look(ctx)
		if err != nil || ready {
			return s, err
		}
		if err := sleep(ctx, pause); err != nil {
			return s, err
		}
	}
}

// sleep waits for d, or until ctx is done.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// final are the statuses of a deployment that will never be ready.
var final = []string{"ERROR", "ERRORING", "STOPPED", "STOPPING", "CANCELED", "CANCELING", "STASHED"}

// look reports whether the service is ready. Calls that fail may succeed later, but for
// those that are refused.
func (s *service) look(ctx context.Context) (ready bool, err error) {
	var answer struct {
		Service struct {
			Active string `json:"active_deployment_id"`
			Latest string `json:"latest_deployment_id"`
		}
	}
	if err := s.api.call(ctx, http.MethodGet, "/v1/services/"+s.id, nil, nil, &answer); err != nil {
		return false, refusal(err)
	}
	id := cmp.Or(answer.Service.Active, answer.Service.Latest)
	if id == "" {
		return false, nil
	}
	var d struct {
		Deployment struct {
			Status   string
			Messages []string
			Metadata struct {
				Sandbox struct {
					URL string `json:"public_url"`
					Key string `json:"routing_key"`
				}
			}
		}
	}
	if err := s.api.call(ctx, http.MethodGet, "/v1/deployments/"+id, nil, nil, &d); err != nil {
		return false, refusal(err)
	}
	if slices.Contains(final, d.Deployment.Status) {
		return false, fmt.Errorf("koyeb: the deployment has ended with the status %s: %q", d.Deployment.Status, d.Deployment.Messages)
	}
	if d.Deployment.Status != "HEALTHY" {
		return false, nil
	}
	s.base, s.routing = d.Deployment.Metadata.Sandbox.URL, d.Deployment.Metadata.Sandbox.Key
	s.public = s.base + "/r/" + s.routing + "/"
	if s.base == "" {
		if s.base, err = s.domain(ctx); err != nil || s.base == "" {
			return false, refusal(err)
		}
		s.public, s.routing = s.base, ""
	}
	s.base += "/koyeb-sandbox"
	return s.healthy(ctx), nil
}

// refusal returns err where trying again cannot help.
func refusal(err error) error {
	if hasStatus(err, http.StatusUnauthorized) || hasStatus(err, http.StatusForbidden) || hasStatus(err, http.StatusNotFound) {
		return err
	}
	return nil
}

// domain returns the address of the app, where the deployment has none.
func (s *service) domain(ctx context.Context) (string, error) {
	var answer struct {
		App struct{ Domains []struct{ Name string } }
	}
	if err := s.api.call(ctx, http.MethodGet, "/v1/apps/"+s.app, nil, nil, &answer); err != nil || len(answer.App.Domains) == 0 {
		return "", err
	}
	return "https://" + answer.App.Domains[0].Name, nil
}
