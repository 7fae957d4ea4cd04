package verify

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestHTTP(t *testing.T) {
	var polls atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/ok", 302) })
	mux.HandleFunc("/ok", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"keys":[]}`) })
	mux.HandleFunc("/cut", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		fmt.Fprint(w, "{")
	})
	mux.HandleFunc("/.well-known/jwks.json", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"keys":[]}`) })
	mux.HandleFunc("/.well-known/service-revocations.json", func(w http.ResponseWriter, _ *http.Request) {
		polls.Add(1)
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	fetch := httpFetcher(server.Client())
	get := func(path string, maxBytes int64) (*answer, error) {
		return fetch(context.Background(), request{
			url: server.URL + path, maxBytes: maxBytes, timeout: time.Minute, idleTimeout: time.Minute,
		})
	}

	if got, err := get("/redirect", 1000); err != nil || got.status != 302 {
		t.Errorf("a redirect must not be followed: %v %v", got, err)
	}
	if got, err := get("/ok", 1000); err != nil || string(got.body) != `{"keys":[]}` {
		t.Errorf("%v %v", got, err)
	}
	for path, maxBytes := range map[string]int64{"/ok": 5, "/cut": 1000} {
		if _, err := get(path, maxBytes); err == nil {
			t.Errorf("%s must fail", path)
		}
	}

	lost := make(chan error, 10)
	verifier, err := New(Options{Issuer: server.URL, OnFeed: func(_ bool, cause error) { lost <- cause }})
	if err != nil {
		t.Fatal(err)
	}
	defer verifier.Close()
	if verifier.Ready() == nil {
		t.Error("there is neither a key nor a feed")
	}
	if cause := <-lost; cause == nil || !strings.Contains(cause.Error(), "503") {
		t.Errorf("the feed is lost because of %v", cause)
	}
	if err := verifier.feed.freshen(); errors.Unwrap(err) == nil {
		t.Errorf("%v has no cause", err)
	}
	for polls.Load() < 3 {
		time.Sleep(10 * time.Millisecond)
	}

	handler := verifier.Protect()(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { SessionOf(r) }))
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequest("GET", "/me", nil))
	if recorder.Code != 401 || !strings.Contains(recorder.Body.String(), "authentication_required") {
		t.Errorf("%d %s", recorder.Code, recorder.Body)
	}
}

func TestOptions(t *testing.T) {
	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, `"onwer"`) {
			t.Errorf("an unknown role must be named: %s", text)
		}
	}()
	for _, issuer := range []string{"", "id.example.com", "https://id.example.com/path", "ftp://id.example.com"} {
		if _, err := New(Options{Issuer: issuer}); err == nil {
			t.Errorf("%q must be rejected", issuer)
		}
	}
	Role("onwer")
}

func TestIssuer(t *testing.T) {
	var file vectorFile
	readJSON(t, "needs.json", &file)
	r := newRun(file.Scenarios[0], file.KeySets)
	r.issuer = "https://login.example.com"
	options := Options{Issuer: file.Scenarios[0].Options.Issuer}
	verifier, err := newVerifier(options, r.now, r.fetch, func(work func()) { work() })
	if err != nil {
		t.Fatal(err)
	}
	verifier.start.Do(func() {})
	err = verifier.Ready()
	if err == nil || !strings.Contains(err.Error(), options.Issuer) || !strings.Contains(err.Error(), r.issuer) {
		t.Errorf("both issuers must be named: %v", err)
	}
}
