package verify

import (
	"context"
	"encoding/base64"
	"errors"
	"hash/crc32"
	"regexp"
	"strings"
	"sync"
	"time"
)

const (
	// Every API key begins with this, and no access token does.
	keyMark = "gth_"
	// For how long a rejected key is not sent again; then the same for a failure of the service or of the network.
	keyRefusal, keyRetry = 5 * time.Second, time.Second
	// Another token is requested this long before the kept one ends, or at half of a shorter lifetime.
	renewBefore        = 30 * time.Second
	maxLifetimeSeconds = 3600
	base62             = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

var keyForm = regexp.MustCompile(`^gth_[0-9A-Za-z]{12}_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$`)

func isAPIKey(credential string) bool { return strings.HasPrefix(credential, keyMark) }

// readPrefix returns the public part of a key. The checksum is wrong if the key was mistyped or cut off.
func readPrefix(key string) (string, error) {
	if !keyForm.MatchString(key) || checksumOf(key[:len(key)-6]) != key[len(key)-6:] {
		return "", invalid("this is not an API key: it was mistyped or cut off")
	}
	return key[:16], nil
}

// checksumOf returns the CRC-32 of zlib as six base62 digits, most significant first.
func checksumOf(text string) string {
	rest := crc32.ChecksumIEEE([]byte(text))
	digits := make([]byte, 6)
	for place := 5; place >= 0; place-- {
		digits[place] = base62[rest%62]
		rest /= 62
	}
	return string(digits)
}

type keptToken struct {
	token    string
	started  moment
	lifetime time.Duration
}

type refusedKey struct {
	err      error
	started  moment
	duration time.Duration
}

// exchange is a pending exchange. All callers with the same key wait for it.
type exchange struct {
	done  chan struct{}
	token string
	err   error
}

// keyTokens exchanges API keys for access tokens, which are then verified locally. The caches are indexed by the
// SHA-256 of the key: a key is in memory only while a request with it is processed.
type keyTokens struct {
	url     string
	fetch   fetcher
	clock   clock
	spawn   func(func())
	kept    *boundedCache[keptToken]
	refused *boundedCache[refusedKey]

	mutex   sync.Mutex
	pending map[string]*exchange
}

func newKeyTokens(url string, fetch fetcher, clock clock, size int, spawn func(func())) *keyTokens {
	return &keyTokens{
		url:     url,
		fetch:   fetch,
		clock:   clock,
		spawn:   spawn,
		kept:    newCache[keptToken](size),
		refused: newCache[refusedKey](size),
		pending: map[string]*exchange{},
	}
}

type verifyFunc func(token string) (*Session, error)

// verify returns the token of a key and its session. If a kept token is refused, the key is exchanged again, once.
func (k *keyTokens) verify(key string, verify verifyFunc) (string, *Session, error) {
	prefix, err := readPrefix(key)
	if err != nil {
		return "", nil, err
	}
	index := hashOf(key)
	token, isNew, err := k.tokenOf(index, prefix, key)
	if err != nil {
		return "", nil, err
	}
	if isNew {
		return k.verifyNew(index, token, verify)
	}
	session, err := verify(token)
	if err == nil || hasCode(err, ServiceUnreachable) {
		return token, session, err
	}
	// The key was revoked, or its roles have changed: the service decides what the key can do now.
	if kept, found := k.kept.get(index); found && kept.token == token {
		k.kept.delete(index)
	}
	if token, _, err = k.tokenOf(index, prefix, key); err != nil {
		return "", nil, err
	}
	return k.verifyNew(index, token, verify)
}

func (k *keyTokens) verifyNew(index, token string, verify verifyFunc) (string, *Session, error) {
	session, err := verify(token)
	// Without this, every request with the key would exchange it again.
	if err != nil && !hasCode(err, ServiceUnreachable) {
		k.kept.delete(index)
		k.refuse(index, err)
	}
	return token, session, err
}

// tokenOf returns a token of the key that has not ended, if possible without a request.
func (k *keyTokens) tokenOf(index, prefix, key string) (token string, isNew bool, err error) {
	kept, found := k.kept.get(index)
	left := kept.lifetime - k.clock.age(kept.started)
	if !found || left <= 0 {
		if err := k.activeRefusal(index); err != nil {
			return "", false, err
		}
		token, err = k.exchange(index, prefix, key)
		return token, true, err
	}
	due := kept.lifetime / 2
	if due > renewBefore {
		due = renewBefore
	}
	if left < due && k.activeRefusal(index) == nil {
		// A failure is remembered, and the kept token stays usable until it ends.
		k.spawn(func() { _, _ = k.exchange(index, prefix, key) })
	}
	return kept.token, false, nil
}

func (k *keyTokens) activeRefusal(index string) error {
	if refused, found := k.refused.get(index); found && k.clock.age(refused.started) < refused.duration {
		return refused.err
	}
	return nil
}

func (k *keyTokens) refuse(index string, err error) {
	duration := keyRefusal
	if hasCode(err, ServiceUnreachable) {
		duration = keyRetry
	}
	k.refused.set(index, refusedKey{err, k.clock(), duration})
}

func (k *keyTokens) exchange(index, prefix, key string) (string, error) {
	k.mutex.Lock()
	if pending := k.pending[index]; pending != nil {
		k.mutex.Unlock()
		<-pending.done
		return pending.token, pending.err
	}
	own := &exchange{done: make(chan struct{})}
	k.pending[index] = own
	k.mutex.Unlock()
	started := k.clock()
	var lifetime time.Duration
	own.token, lifetime, own.err = k.fetchToken(prefix, key)
	if own.err == nil {
		k.kept.set(index, keptToken{own.token, started, lifetime})
	} else {
		// While the service cannot be reached, the kept token stays usable until it ends.
		if !hasCode(own.err, ServiceUnreachable) {
			k.kept.delete(index)
		}
		k.refuse(index, own.err)
	}
	k.mutex.Lock()
	delete(k.pending, index)
	k.mutex.Unlock()
	close(own.done)
	return own.token, own.err
}

// The error of a failed request may contain the request, so it is not passed on.
var errNotExchanged = fail(ServiceUnreachable, "the API key could not be exchanged for a token")

func (k *keyTokens) fetchToken(prefix, key string) (string, time.Duration, error) {
	got, err := k.fetch(context.Background(), request{
		url: k.url,
		headers: map[string]string{
			"Authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte(prefix+":"+key)),
			"Content-Type":  "application/x-www-form-urlencoded",
		},
		form:        "grant_type=client_credentials",
		maxBytes:    64 * 1024,
		timeout:     5 * time.Second,
		idleTimeout: 5 * time.Second,
	})
	if err != nil {
		return "", 0, errNotExchanged
	}
	// A 4xx rejects this key, except 408 and 429, which do not depend on the key.
	if got.status >= 400 && got.status < 500 && got.status != 408 && got.status != 429 {
		return "", 0, invalid("the service does not accept this API key")
	}
	token, lifetime, err := readExchange(got)
	if err != nil {
		return "", 0, errNotExchanged
	}
	return token, lifetime, nil
}

func readExchange(got *answer) (string, time.Duration, error) {
	body, err := got.json()
	if err != nil {
		return "", 0, err
	}
	token, isToken := membersOf(body)["access_token"].(string)
	seconds, isNumber := numberOf(membersOf(body)["expires_in"])
	if !isToken || !isNumber || !(seconds > 0 && seconds <= maxLifetimeSeconds) {
		return "", 0, errors.New("the response contains no token")
	}
	return token, time.Duration(seconds * float64(time.Second)), nil
}
