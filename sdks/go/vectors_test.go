package verify

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// The test vectors that all verifiers share. Time passes only as a scenario says.

type vectorFile struct {
	KeySets   map[string]json.RawMessage `json:"key_sets"`
	Scenarios []scenario                 `json:"scenarios"`
}

type scenario struct {
	Name    string `json:"name"`
	Options struct {
		Issuer         string `json:"issuer"`
		Audience       string `json:"audience"`
		WhenFeedFails  string `json:"when_feed_fails"`
		MaxRevocations int    `json:"max_revocations"`
	} `json:"options"`
	StartsAt time.Time `json:"starts_at"`
	Ready    bool      `json:"ready"`
	Sleeps   []struct {
		At int64 `json:"at"`
		Ms int64 `json:"ms"`
	} `json:"sleeps"`
	Requests map[string][]vectorRequest `json:"requests"`
	Checks   []vectorCheck              `json:"checks"`
}

type sentRequest struct {
	At            int64  `json:"at"`
	Path          string `json:"path"`
	After         string `json:"after"`
	IfNoneMatch   string `json:"if_none_match"`
	Authorization string `json:"authorization"`
	Form          string `json:"form"`
}

type vectorRequest struct {
	sentRequest
	EveryMs  int64           `json:"every_ms"`
	Count    int64           `json:"count"`
	Response *vectorResponse `json:"response"`
}

type vectorResponse struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    json.RawMessage   `json:"body"`
	Text    string            `json:"text"`
	KeySet  string            `json:"key_set"`
	TakesMs int64             `json:"takes_ms"`
}

type vectorCheck struct {
	About         string         `json:"about"`
	At            int64          `json:"at"`
	Authorization string         `json:"authorization"`
	Needs         map[string]any `json:"needs"`
	Verdict       map[string]any `json:"verdict"`
}

// expand returns the requests of a scenario, each at its own time.
func expand(requests []vectorRequest) []vectorRequest {
	var all []vectorRequest
	for _, each := range requests {
		for index := int64(0); index == 0 || index < each.Count; index++ {
			one := each
			one.At += index * each.EveryMs
			all = append(all, one)
		}
	}
	return all
}

var kinds = map[string]string{
	"/.well-known/jwks.json":                "keys",
	"/oauth/jwks.json":                      "keys",
	"/.well-known/service-revocations.json": "feed",
	"/oauth/token":                          "exchange",
	"/v1/auth/session":                      "session",
}

type run struct {
	issuer   string
	start    time.Time
	steadyMs int64
	sleptMs  int64
	queues   map[string][]vectorRequest
	sent     map[string][]sentRequest
	keySets  map[string]json.RawMessage
}

func newRun(s scenario, keySets map[string]json.RawMessage) *run {
	r := &run{issuer: s.Options.Issuer, start: s.StartsAt, keySets: keySets}
	r.queues, r.sent = map[string][]vectorRequest{}, map[string][]sentRequest{}
	for kind, requests := range s.Requests {
		r.queues[kind] = expand(requests)
	}
	return r
}

func (r *run) at() int64 { return r.steadyMs + r.sleptMs }

func (r *run) now() moment {
	steady := time.Duration(r.steadyMs) * time.Millisecond
	return moment{steady: steady, wall: r.start.Add(time.Duration(r.at()) * time.Millisecond)}
}

func (r *run) fetch(_ context.Context, asked request) (*answer, error) {
	parsed, err := url.Parse(asked.url)
	if err != nil {
		return nil, err
	}
	if parsed.Path == "/.well-known/openid-configuration" {
		// Ready compares the issuer, which is equal in every scenario: none lists this request.
		return &answer{status: 200, body: []byte(`{"issuer":"` + r.issuer + `"}`)}, nil
	}
	kind := kinds[parsed.Path]
	r.sent[kind] = append(r.sent[kind], sentRequest{
		At:            r.at(),
		Path:          parsed.Path,
		After:         parsed.Query().Get("after"),
		IfNoneMatch:   asked.headers["If-None-Match"],
		Authorization: asked.headers["Authorization"],
		Form:          asked.form,
	})
	if len(r.queues[kind]) == 0 {
		return nil, errors.New("there is no response")
	}
	response := r.queues[kind][0].Response
	r.queues[kind] = r.queues[kind][1:]
	if response == nil {
		return nil, errors.New("the connection failed")
	}
	r.steadyMs += response.TakesMs
	headers := http.Header{}
	for name, value := range response.Headers {
		headers.Set(name, value)
	}
	body := []byte(response.Text)
	if response.KeySet != "" {
		body = r.keySets[response.KeySet]
	} else if response.Body != nil {
		body = response.Body
	}
	return &answer{status: response.Status, headers: headers, body: body}, nil
}

func needsOf(given map[string]any) []Need {
	seconds := func(value any) time.Duration { return time.Duration(value.(float64)) * time.Second }
	var needs []Need
	for _, each := range []struct {
		name string
		need func(value any) Need
	}{
		{"organization", func(value any) Need { return Organization(value.(string)) }},
		{"role", func(value any) Need { return Role(value.(string)) }},
		{"permission", func(value any) Need { return Permission(value.(string)) }},
		{"verified_email", func(any) Need { return VerifiedEmail() }},
		{"aal", func(any) Need { return AAL2() }},
		{"signed_in_within", func(value any) Need { return SignedInWithin(seconds(value)) }},
		{"stepped_up_within", func(value any) Need { return SteppedUpWithin(seconds(value)) }},
	} {
		if value, found := given[each.name]; found {
			needs = append(needs, each.need(value))
		}
	}
	return needs
}

// orNull describes an empty value as the vectors do.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func verdictOf(t *testing.T, session *Session, err error) map[string]any {
	var verdict any
	var refused *Error
	switch {
	case errors.As(err, &refused):
		verdict = map[string]any{"refused": refused.Code}
	case err != nil:
		t.Fatal(err)
	default:
		verdict = map[string]any{"session": map[string]any{
			"user_id": session.UserID, "organization_id": session.OrganizationID, "session_id": session.SessionID,
			"token_id": session.TokenID, "email": orNull(session.Email), "email_verified": session.EmailVerified,
			"aal": session.AAL, "auth_method": session.AuthMethod, "auth_time": session.AuthTime.Unix(),
			"issued_at": session.IssuedAt.Unix(), "expires_at": session.ExpiresAt.Unix(), "role": orNull(session.Role),
			"permissions": session.Permissions, "client_id": orNull(session.ClientID), "scopes": session.Scopes,
		}}
	}
	// As JSON and back, to compare it with the vectors.
	text, err := json.Marshal(verdict)
	if err != nil {
		t.Fatal(err)
	}
	var described map[string]any
	if err := json.Unmarshal(text, &described); err != nil {
		t.Fatal(err)
	}
	return described
}

func runScenario(t *testing.T, s scenario, keySets map[string]json.RawMessage) []map[string]any {
	r := newRun(s, keySets)
	options := Options{
		Issuer:              s.Options.Issuer,
		Audience:            s.Options.Audience,
		AcceptWhenFeedFails: s.Options.WhenFeedFails == "accept",
		MaxRevocations:      s.Options.MaxRevocations,
	}
	verifier, err := newVerifier(options, r.now, r.fetch, func(work func()) { work() })
	if err != nil {
		t.Fatal(err)
	}
	verifier.start.Do(func() {}) // No goroutines: what is due runs in `passUntil`.
	nextDue := func() int64 {
		due := verifier.pollers[0].part.nextDue()
		if other := verifier.pollers[1].part.nextDue(); other < due {
			due = other
		}
		return due.Milliseconds()
	}
	passUntil := func(at int64) {
		for {
			end, sleeps := at, len(s.Sleeps) > 0 && s.Sleeps[0].At <= at
			if sleeps {
				end = s.Sleeps[0].At
			}
			for nextDue()+r.sleptMs <= end {
				if due := nextDue(); due > r.steadyMs {
					r.steadyMs = due
				}
				for _, each := range verifier.pollers {
					each.part.runDue()
				}
			}
			if end-r.sleptMs > r.steadyMs {
				r.steadyMs = end - r.sleptMs
			}
			if !sleeps {
				return
			}
			r.sleptMs += s.Sleeps[0].Ms
			s.Sleeps = s.Sleeps[1:]
		}
	}
	if isReady := verifier.Ready() == nil; isReady != s.Ready {
		t.Errorf("ready: %v", isReady)
	}
	var verdicts []map[string]any
	for _, check := range s.Checks {
		passUntil(check.At)
		session, err := verifier.Admit(context.Background(), check.Authorization, needsOf(check.Needs)...)
		verdict := verdictOf(t, session, err)
		verdicts = append(verdicts, verdict)
		if !reflect.DeepEqual(verdict, check.Verdict) {
			t.Errorf("%s: got %v, expected %v", check.About, verdict, check.Verdict)
		}
	}
	for kind, requests := range s.Requests {
		var expected []sentRequest
		for _, each := range expand(requests) {
			expected = append(expected, each.sentRequest)
		}
		if !reflect.DeepEqual(r.sent[kind], expected) {
			t.Errorf("requests for %s:\ngot      %+v\nexpected %+v", kind, r.sent[kind], expected)
		}
		delete(r.sent, kind)
	}
	if len(r.sent) > 0 {
		t.Errorf("unexpected requests: %v", r.sent)
	}
	return verdicts
}

func vectorsFolder() string {
	if folder := os.Getenv("VECTORS"); folder != "" {
		return folder
	}
	return "../../packages/verify/vectors"
}

func readJSON(t *testing.T, name string, into any) {
	text, err := os.ReadFile(filepath.Join(vectorsFolder(), name))
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestVectors(t *testing.T) {
	verdicts := map[string][]map[string]any{}
	for _, name := range []string{"feeds", "keys", "machines", "needs", "stale", "tokens"} {
		var file vectorFile
		readJSON(t, name+".json", &file)
		for _, each := range file.Scenarios {
			t.Run(name+"/"+each.Name, func(t *testing.T) {
				verdicts[name+".json: "+each.Name] = runScenario(t, each, file.KeySets)
			})
		}
	}
	if len(verdicts) < 100 {
		t.Errorf("only %d scenarios", len(verdicts))
	}
	// `npm run interop -- verifiers` compares the verdicts of all verifiers.
	if path := os.Getenv("VERDICTS_FILE"); path != "" {
		text, err := json.Marshal(verdicts)
		if err == nil {
			err = os.WriteFile(path, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestResponses(t *testing.T) {
	var file struct {
		Responses map[string]struct {
			Status  int               `json:"status"`
			Headers map[string]string `json:"headers"`
			Error   map[string]string `json:"error"`
		} `json:"responses"`
	}
	readJSON(t, "responses.json", &file)
	if len(file.Responses) != len(wires) {
		t.Fatalf("%d codes", len(file.Responses))
	}
	for code, expected := range file.Responses {
		recorder := httptest.NewRecorder()
		WriteRefusal(recorder, fail(Code(code), "why"))
		headers := map[string]string{}
		for name := range recorder.Header() {
			if name != "Content-Type" {
				headers[strings.ToLower(name)] = recorder.Header().Get(name)
			}
		}
		var body struct {
			Error map[string]string `json:"error"`
		}
		if err := json.Unmarshal(recorder.Body.Bytes(), &body); err != nil {
			t.Fatal(err)
		}
		expected.Error["message"] = "why"
		if recorder.Code != expected.Status || !reflect.DeepEqual(headers, expected.Headers) ||
			!reflect.DeepEqual(body.Error, expected.Error) {
			t.Errorf("%s: %d %v %v", code, recorder.Code, headers, body)
		}
	}
}
