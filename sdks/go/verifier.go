// Package verify verifies access tokens and API keys of Gatehouse in the process of an API: signature, claims, revoked
// sessions, changed roles. A session that is revoked is refused within 5 seconds.
package verify

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Options of New. Only Issuer is required.
type Options struct {
	// Issuer is PUBLIC_BASE_URL of the service, such as https://id.example.com.
	Issuer string
	// Audience is set in an API that is called by applications (OAuth 2.1): only access tokens of applications for
	// exactly this audience are accepted then.
	Audience string
	// Address at which this process reaches the service, if it differs from Issuer.
	Address string
	// RoutePrefix is ROUTE_PREFIX of the service. Default: /v1.
	RoutePrefix string
	// AcceptWhenFeedFails checks tokens against the last known feed while the feed cannot be read. By default every
	// token is refused with 503.
	AcceptWhenFeedFails bool
	// OnFeed is called with the error when the feed cannot be read, and again when it can be read, for logs and alerts. It
	// must not block.
	OnFeed func(lost bool, cause error)
	// ClockSkew is how long a token is accepted after it expires. Default: 5 seconds, at most 60.
	ClockSkew time.Duration
	// LookUpAge is how long an answer of GET /auth/session is used. Default: 10 seconds, at most 60.
	LookUpAge time.Duration
	// MaxCachedTokens is the maximum number of verified tokens in memory, and of tokens of API keys. Default: 10,000.
	MaxCachedTokens int
	// MaxRevocations is the maximum number of revoked sessions in memory, and of role changes. Default: 100,000.
	MaxRevocations int
	// HTTPClient sends the requests to the service. Default: http.DefaultClient. Redirects are not followed.
	HTTPClient *http.Client
}

// maxAhead is how far `iat` may be in the future.
const maxAhead = 60 * time.Second

var (
	bearer = regexp.MustCompile(`(?i)^Bearer +(\S+) *$`)
	// The first segments of the service's own permissions, which are not in tokens of users.
	serviceSegments = []string{"org", "members", "audit", "roles", "machines", "webhooks", "policy", "sso"}
)

// proof is a token whose signature was verified. It is cached by the text of the token.
type proof struct {
	key   *publicKey
	token *readToken
	// Empty for a token of an application: it is never stale.
	roleKeys []string
}

// Verifier verifies tokens. Create one per process with New. Its methods may be called by any goroutine.
type Verifier struct {
	issuer    string
	audience  string
	address   string
	fetch     fetcher
	clockSkew time.Duration
	clock     clock
	keys      *keySet
	feed      *feed
	keyTokens *keyTokens
	lookUps   *lookUps
	proofs    *boundedCache[proof]
	pollers   []*poller
	start     sync.Once
	stop      sync.Once
	closed    chan struct{}

	isIssuerEqual atomic.Bool
}

// New creates a verifier for the access tokens of one Gatehouse. It requests nothing before its first use; from then
// on, it keeps the public keys and the feed up to date in the background.
func New(options Options) (*Verifier, error) {
	client := options.HTTPClient
	if client == nil {
		client = http.DefaultClient
	}
	return newVerifier(options, systemClock, httpFetcher(client), func(work func()) { go work() })
}

func newVerifier(options Options, clock clock, fetch fetcher, spawn func(func())) (*Verifier, error) {
	issuer, err := originOf(options.Issuer)
	if err != nil {
		return nil, err
	}
	if options.ClockSkew < 0 || options.ClockSkew > time.Minute || options.LookUpAge < 0 ||
		options.LookUpAge > time.Minute || options.MaxCachedTokens < 0 || options.MaxRevocations < 0 {
		return nil, fmt.Errorf("verify: ClockSkew and LookUpAge must be at most a minute, and no option negative")
	}
	address := strings.TrimRight(defaultTo(options.Address, issuer), "/")
	keyPath := "/.well-known/jwks.json"
	if options.Audience != "" {
		// Tokens of applications have keys of their own.
		keyPath = "/oauth/jwks.json"
	}
	onFeed := options.OnFeed
	if onFeed == nil {
		onFeed = func(bool, error) {}
	}
	cached := defaultTo(options.MaxCachedTokens, 10_000)
	v := &Verifier{
		issuer:    issuer,
		audience:  options.Audience,
		address:   address,
		fetch:     fetch,
		clockSkew: defaultTo(options.ClockSkew, 5*time.Second),
		clock:     clock,
		keys:      newKeySet(address+keyPath, fetch, clock),
		keyTokens: newKeyTokens(address+"/oauth/token", fetch, clock, cached, spawn),
		lookUps: &lookUps{
			url:     address + strings.TrimRight(defaultTo(options.RoutePrefix, "/v1"), "/") + "/auth/session",
			fetch:   fetch,
			clock:   clock,
			maxAge:  defaultTo(options.LookUpAge, 10*time.Second),
			answers: newCache[lookUp](maxLookUps),
		},
		proofs: newCache[proof](cached),
		closed: make(chan struct{}),
	}
	limit, refuses := defaultTo(options.MaxRevocations, 100_000), !options.AcceptWhenFeedFails
	v.feed = newFeed(address+"/.well-known/service-revocations.json", fetch, clock, limit, refuses, onFeed)
	v.pollers = []*poller{newPoller(&v.feed.polled), newPoller(&v.keys.polled)}
	return v, nil
}

func defaultTo[T comparable](value, standard T) T {
	var zero T
	if value == zero {
		return standard
	}
	return value
}

func originOf(issuer string) (string, error) {
	parsed, err := url.Parse(issuer)
	if err != nil || (parsed.Scheme != "http" && parsed.Scheme != "https") || parsed.Host == "" || parsed.User != nil ||
		(parsed.Path != "" && parsed.Path != "/") || parsed.RawQuery != "" {
		return "", fmt.Errorf("verify: Issuer must be an http or https origin without a path, as PUBLIC_BASE_URL is")
	}
	return parsed.Scheme + "://" + parsed.Host, nil
}

// Ready requests the keys and the feed. It returns an error that names both if the service has another issuer than
// Options.Issuer. Optional: wait for it before the process reports that it is ready.
func (v *Verifier) Ready() error {
	v.begin()
	defer v.wake()
	keysErr, feedErr := v.keys.ready(), v.feed.ready()
	if keysErr != nil {
		return keysErr
	}
	if feedErr != nil {
		return feedErr
	}
	return v.requireIssuer()
}

// requireIssuer compares the issuers until they were equal once. Otherwise every token would be refused, without a
// hint to the cause at the start of the API.
func (v *Verifier) requireIssuer() error {
	if v.isIssuerEqual.Load() {
		return nil
	}
	asked := request{
		url:      v.address + "/.well-known/openid-configuration",
		maxBytes: 64 * 1024, timeout: 5 * time.Second, idleTimeout: 5 * time.Second,
	}
	got, err := v.fetch(context.Background(), asked)
	var body any
	if err == nil {
		body, err = got.json()
	}
	if err != nil {
		return fail(ServiceUnreachable, asked.url+" could not be fetched").causedBy(err)
	}
	if found := membersOf(body)["issuer"]; found != v.issuer {
		return fmt.Errorf("verify: Issuer is %s, but the service at %s is %s (its PUBLIC_BASE_URL)",
			quoted(v.issuer), v.address, quoted(found))
	}
	v.isIssuerEqual.Store(true)
	return nil
}

// Close stops the polling. After that every token is refused.
func (v *Verifier) Close() {
	v.stop.Do(func() {
		v.feed.close()
		close(v.closed)
	})
}

func (v *Verifier) begin() {
	v.start.Do(func() {
		for _, each := range v.pollers {
			go each.run(v.closed)
		}
	})
}

func (v *Verifier) wake() {
	for _, each := range v.pollers {
		each.wake()
	}
}

// Verify verifies an access token or an API key. It returns an *Error if the credential is refused.
func (v *Verifier) Verify(credential string) (*Session, error) {
	_, session, err := v.authenticate(credential)
	return session, err
}

// authenticate returns the token for requests to the service, and the session. With the option Audience, an API key is
// not exchanged: the token would be for another audience.
func (v *Verifier) authenticate(credential string) (string, *Session, error) {
	v.begin()
	defer v.wake()
	if credential == "" {
		return "", nil, fail(TokenMissing, "there is no token")
	}
	if isAPIKey(credential) && v.audience == "" {
		return v.keyTokens.verify(credential, v.verifyToken)
	}
	session, err := v.verifyToken(credential)
	return credential, session, err
}

func (v *Verifier) verifyToken(token string) (*Session, error) {
	known, found := v.proofs.get(token)
	// A retired key may be published again, with the same key id.
	if !found || known.key.retired.Load() {
		var err error
		if known, err = v.prove(token); err != nil {
			return nil, err
		}
	}
	if !v.feed.isFresh() {
		if err := v.feed.freshen(); err != nil {
			return nil, err
		}
	}
	if err := v.requireTime(known.token); err != nil {
		return nil, err
	}
	if known.key.retired.Load() {
		return nil, invalid("the key that signed the token is no longer published")
	}
	if err := v.feed.require(known.token, known.roleKeys); err != nil {
		return nil, err
	}
	session := known.token.session
	return &session, nil
}

func (v *Verifier) prove(token string) (proof, error) {
	read, err := parseToken(token, v.issuer, v.audience)
	if err != nil {
		return proof{}, err
	}
	if err := v.requireTime(read); err != nil {
		return proof{}, err
	}
	key, err := v.keys.find(read.kid)
	if err != nil {
		return proof{}, err
	}
	if err := key.verify(read); err != nil {
		return proof{}, err
	}
	proved := proof{key: key, token: read}
	if v.audience == "" {
		proved.roleKeys = roleKeysOf(&read.session)
	}
	v.proofs.set(token, proved)
	return proved, nil
}

func (v *Verifier) requireTime(token *readToken) error {
	now := v.clock().wall
	if !now.Before(token.session.ExpiresAt.Add(v.clockSkew)) {
		return fail(TokenExpired, "the token has expired")
	}
	if now.Before(token.session.IssuedAt.Add(-maxAhead - v.clockSkew)) {
		return invalid("the token was issued in the future: check the clocks")
	}
	return nil
}

// LookUp verifies the credential, then requests the current state of the session from the service.
func (v *Verifier) LookUp(ctx context.Context, credential string) (*CurrentSession, error) {
	token, session, err := v.authenticate(credential)
	if err != nil {
		return nil, err
	}
	return v.lookUp(ctx, token, session)
}

func (v *Verifier) lookUp(ctx context.Context, token string, session *Session) (*CurrentSession, error) {
	if err := v.requireOwn(); err != nil {
		return nil, err
	}
	found, err := v.lookUps.find(ctx, token, session, v.lookUps.maxAge)
	return found.current, err
}

// requireOwn returns an error for a token of an application: GET /auth/session does not accept it.
func (v *Verifier) requireOwn() error {
	if v.audience != "" {
		return fail(Forbidden, "a token of an application is not accepted here")
	}
	return nil
}

// BearerToken returns the token of an Authorization: Bearer header.
func BearerToken(authorization string) (string, error) {
	found := bearer.FindStringSubmatch(authorization)
	if found == nil {
		return "", fail(TokenMissing, "send an access token: Authorization: Bearer …")
	}
	return found[1], nil
}
