package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

type request struct {
	url     string
	headers map[string]string
	// If not empty, the request is a POST.
	form     string
	maxBytes int64
	// For the whole exchange, including the body.
	timeout time.Duration
	// The maximum time between two parts of the response.
	idleTimeout time.Duration
}

type answer struct {
	status  int
	headers http.Header
	body    []byte
}

// header returns the values of a header joined by a comma, and whether there is one.
func (a *answer) header(name string) (string, bool) {
	values := a.headers.Values(name)
	return strings.Join(values, ", "), len(values) > 0
}

// fetcher sends a request. It returns an error if there is no complete response.
type fetcher func(context.Context, request) (*answer, error)

// httpFetcher limits requests in time and size. Redirects are not followed: only responses of the configured address
// are accepted.
func httpFetcher(client *http.Client) fetcher {
	limited := *client
	limited.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return func(ctx context.Context, asked request) (*answer, error) {
		ctx, cancel := context.WithTimeout(ctx, asked.timeout)
		defer cancel()
		idle := time.AfterFunc(asked.idleTimeout, cancel)
		defer idle.Stop()
		method, body := http.MethodGet, io.Reader(nil)
		if asked.form != "" {
			method, body = http.MethodPost, strings.NewReader(asked.form)
		}
		sent, err := http.NewRequestWithContext(ctx, method, asked.url, body)
		if err != nil {
			return nil, err
		}
		sent.Header.Set("Accept", "application/json")
		sent.Header.Set("Cache-Control", "no-cache")
		for name, value := range asked.headers {
			sent.Header.Set(name, value)
		}
		response, err := limited.Do(sent)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		read, err := readBody(response.Body, asked.maxBytes, func() { idle.Reset(asked.idleTimeout) })
		if err != nil {
			return nil, err
		}
		return &answer{status: response.StatusCode, headers: response.Header, body: read}, nil
	}
}

// readBody counts decompressed bytes, so that a small compressed body cannot grow without bound.
func readBody(body io.Reader, maxBytes int64, onBytes func()) ([]byte, error) {
	var read bytes.Buffer
	for chunk := make([]byte, 32*1024); ; {
		count, err := body.Read(chunk)
		onBytes()
		read.Write(chunk[:count])
		if int64(read.Len()) > maxBytes {
			return nil, fmt.Errorf("the response is larger than %d bytes", maxBytes)
		}
		if errors.Is(err, io.EOF) {
			return read.Bytes(), nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// members is a JSON object. A map, because structs of encoding/json would match member names regardless of case.
type members map[string]any

// membersOf returns an object; an empty one for any other value.
func membersOf(value any) members {
	if object, ok := value.(map[string]any); ok {
		return object
	}
	return members{}
}

const maxQuoted = 100

// quoted returns a value of a token or a response for an error message: as JSON, and shortened.
func quoted(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return "not JSON"
	}
	if runes := []rune(string(text)); len(runes) > maxQuoted {
		return string(runes[:maxQuoted]) + "…"
	}
	return string(text)
}

var errNotJSON = errors.New("the answer is not JSON")

func parseJSON(text []byte) (any, error) {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(text))
	// A number that no float64 can represent is JSON, and must not make a document invalid.
	decoder.UseNumber()
	// encoding/json would replace bytes that are not UTF-8, and the decoder would ignore what follows the value.
	if !utf8.Valid(text) || !json.Valid(text) || decoder.Decode(&value) != nil {
		return nil, errNotJSON
	}
	return value, nil
}

// json returns an error unless the response is 200 with a JSON body.
func (a *answer) json() (any, error) {
	if a.status != http.StatusOK {
		return nil, fmt.Errorf("the service responded with status %d", a.status)
	}
	return parseJSON(a.body)
}

// document is a JSON document that is polled with If-None-Match.
type document struct {
	fetch fetcher
	tag   string
	// check returns an error for a response that must not be used, whether it has a body or is a 304.
	check func(*answer) error
	// take reads a document that has changed. The tag is stored only after it has succeeded.
	take func(body any, answer *answer) error
}

func (d *document) update(asked request) error {
	if d.tag != "" {
		asked.headers = map[string]string{"If-None-Match": d.tag}
	}
	got, err := d.fetch(context.Background(), asked)
	if err != nil {
		return err
	}
	if err := d.check(got); err != nil {
		return err
	}
	if got.status == http.StatusNotModified && d.tag != "" {
		return nil
	}
	body, err := got.json()
	if err != nil {
		return err
	}
	if err := d.take(body, got); err != nil {
		return err
	}
	d.tag = got.headers.Get("ETag")
	return nil
}
