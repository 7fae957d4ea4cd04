package verify

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"math/big"
	"sync/atomic"
	"time"
)

const (
	// A new key is published ten minutes before it signs, so verifiers know it in time.
	keysEvery = 60 * time.Second
	// Minimum interval of requests for unknown key ids, so that invented ids do not cause a flood of them.
	keysCoolDown = 5 * time.Second
	// The same interval while the service cannot be reached.
	keysRetry  = time.Second
	minKeyBits = 2048
)

type publicKey struct {
	n, e string
	key  *rsa.PublicKey
	// The key set no longer contains it: its signatures are no longer accepted.
	retired atomic.Bool
}

func (k *publicKey) verify(token *readToken) error {
	digest := sha256.Sum256([]byte(token.signed))
	if rsa.VerifyPKCS1v15(k.key, crypto.SHA256, digest[:], token.signature) != nil {
		return invalid("the signature of the token is wrong")
	}
	return nil
}

// keySet is the set of public keys of the service.
type keySet struct {
	polled
	asked    request
	document document

	// With the lock `mutex`.
	keys    map[string]*publicKey
	lastTry *moment
	failure error
}

func newKeySet(url string, fetch fetcher, clock clock) *keySet {
	set := &keySet{
		polled: polled{clock: clock, due: never},
		asked:  request{url: url, maxBytes: 256 * 1024, timeout: 5 * time.Second, idleTimeout: 5 * time.Second},
		keys:   map[string]*publicKey{},
	}
	set.request = set.refresh
	set.document = document{fetch: fetch, check: func(*answer) error { return nil }, take: set.take}
	return set
}

func (s *keySet) known(kid string) (key *publicKey, failure error) {
	s.mutex.RLock()
	defer s.mutex.RUnlock()
	return s.keys[kid], s.failure
}

func (s *keySet) find(kid string) (*publicKey, error) {
	key, failure := s.known(kid)
	if key == nil {
		s.requesting.Lock()
		if key, failure = s.known(kid); key == nil && !s.isTooSoon() {
			s.refresh()
			key, failure = s.known(kid)
		}
		s.requesting.Unlock()
	}
	switch {
	case key != nil:
		return key, nil
	case failure != nil:
		return nil, errKeysUnreachable.causedBy(failure)
	default:
		return nil, invalid("the token names a key that is not known: " + quoted(kid))
	}
}

var errKeysUnreachable = fail(ServiceUnreachable, "the service's keys could not be fetched")

func (s *keySet) ready() error {
	s.requesting.Lock()
	defer s.requesting.Unlock()
	if s.isEmpty() && !s.isTooSoon() {
		s.refresh()
	}
	if s.isEmpty() {
		_, failure := s.known("")
		return errKeysUnreachable.causedBy(failure)
	}
	return nil
}

func (s *keySet) isEmpty() bool {
	s.mutex.RLock()
	defer s.mutex.RUnlock()
	return len(s.keys) == 0
}

func (s *keySet) isTooSoon() bool {
	s.mutex.RLock()
	defer s.mutex.RUnlock()
	interval := keysCoolDown
	if s.failure != nil {
		interval = keysRetry
	}
	return s.lastTry != nil && s.clock.age(*s.lastTry) < interval
}

// refresh requires the lock `requesting`.
func (s *keySet) refresh() {
	started := s.clock()
	err := s.document.update(s.asked)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.lastTry, s.failure = &started, err
	s.due = s.clock().steady + keysEvery
	if err != nil {
		s.due = s.clock().steady + keysCoolDown
	}
}

func (s *keySet) take(body any, _ *answer) error {
	listed, ok := membersOf(body)["keys"].([]any)
	if !ok {
		return errors.New("the key set has no list of keys")
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	keys := map[string]*publicKey{}
	for _, entry := range listed {
		jwk := membersOf(entry)
		if jwk["kty"] != "RSA" || jwk["use"] != "sig" || jwk["alg"] != "RS256" {
			continue
		}
		kid, isKid := jwk["kid"].(string)
		n, isN := jwk["n"].(string)
		e, isE := jwk["e"].(string)
		if !isKid || !isN || !isE {
			continue
		}
		// A known key stays the same object: tokens that it has verified stay verified.
		if before := s.keys[kid]; before != nil && before.n == n && before.e == e {
			keys[kid] = before
		} else if key := importKey(n, e); key != nil {
			keys[kid] = key
		}
	}
	for kid, key := range s.keys {
		key.retired.Store(keys[kid] != key)
	}
	s.keys = keys
	return nil
}

// importKey returns nil for a key that cannot sign access tokens.
func importKey(n, e string) *publicKey {
	modulus, errN := base64.RawURLEncoding.DecodeString(n)
	exponent, errE := base64.RawURLEncoding.DecodeString(e)
	if errN != nil || errE != nil {
		return nil
	}
	key := &rsa.PublicKey{N: new(big.Int).SetBytes(modulus)}
	power := new(big.Int).SetBytes(exponent)
	if key.N.BitLen() < minKeyBits || power.BitLen() > 31 || power.Int64() < 2 {
		return nil
	}
	key.E = int(power.Int64())
	return &publicKey{n: n, e: e, key: key}
}
