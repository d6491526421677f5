package netpolicy

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A GitHubBinding adds a token to git over HTTPS, at github.com, and to the REST
// API, at api.github.com, for some repositories. What concerns other repositories,
// and GraphQL, goes without it.
type GitHubBinding struct {
	// Repositories are those that the token is added for, as OWNER/NAME. None
	// grants nothing.
	Repositories []string

	// AllRepositories adds the token for every repository.
	AllRepositories bool

	// Write adds the token for what changes a repository too: pushes, and
	// methods of the API other than GET and HEAD.
	Write bool

	Token  string
	Source TokenSource // instead of Token
}

func (b GitHubBinding) check() error {
	for _, r := range b.Repositories {
		owner, name, ok := strings.Cut(r, "/")
		if !ok || !validToken(owner) || !validToken(name) || strings.Trim(owner+name, ".") == "" {
			return fmt.Errorf("binding for GitHub: repository %q is not OWNER/NAME", r)
		}
	}
	if (b.Token == "") == (b.Source == nil) {
		return fmt.Errorf("binding for GitHub: either Token or Source must be set")
	}
	if strings.ContainsAny(b.Token, "\r\n\x00") {
		return fmt.Errorf("binding for GitHub: the token has more than one line")
	}
	return nil
}

func (b GitHubBinding) hosts() []string {
	if len(b.Repositories) == 0 && !b.AllRepositories {
		return nil
	}
	return []string{"github.com", "api.github.com"}
}

// headers returns the header for a host.
func (b GitHubBinding) headers(_ context.Context, host string) ([]*boundHeader, error) {
	source := b.Source
	if source == nil {
		source = fixedToken(b.Token)
	}
	h := &boundHeader{name: "Authorization", source: newSource(source)}
	switch host {
	case "github.com":
		h.encode = func(token string) string { return basic("x-access-token", token) }
		h.allows = b.allowsGit
	case "api.github.com":
		h.value, h.allows = "Bearer {token}", b.allowsAPI
	default:
		return nil, nil
	}
	return []*boundHeader{h}, nil
}

// fixedToken is a token that never ends.
type fixedToken string

// Token returns it.
func (t fixedToken) Token(context.Context) (Token, error) { return Token{Value: string(t)}, nil }

// allowsGit reports whether a request is one of git for a repository of b.
func (b GitHubBinding) allowsGit(method, path, query string) bool {
	repo, service, ok := cutRepository(path)
	repo = strings.TrimSuffix(repo, ".git")
	switch {
	case !ok || !b.has(repo):
		return false
	case service == "info/refs" && method == http.MethodGet:
		q, err := url.ParseQuery(strings.TrimPrefix(query, "?"))
		if err != nil || len(q["service"]) != 1 {
			return false
		}
		service = q.Get("service")
	case method != http.MethodPost:
		return false
	}
	return service == "git-upload-pack" || service == "git-receive-pack" && b.Write
}

// allowsAPI reports whether a request to the API is about a repository of b.
func (b GitHubBinding) allowsAPI(method, path, _ string) bool {
	rest, ok := strings.CutPrefix(path, "/repos")
	if !ok {
		return false
	}
	repo, _, ok := cutRepository(rest)
	read := method == http.MethodGet || method == http.MethodHead
	return ok && b.has(repo) && (read || b.Write)
}

// cutRepository splits /OWNER/NAME/REST.
func cutRepository(path string) (repo, rest string, ok bool) {
	plain, ok := plainPath(path)
	parts := strings.SplitN(plain, "/", 4)
	if !ok || len(parts) < 3 || parts[0] != "" || parts[1] == "" || parts[2] == "" {
		return "", "", false
	}
	if len(parts) == 4 {
		rest = parts[3]
	}
	return parts[1] + "/" + parts[2], rest, true
}

func (b GitHubBinding) has(repo string) bool {
	return b.AllRepositories || slices.ContainsFunc(b.Repositories, func(r string) bool { return strings.EqualFold(r, repo) })
}
