package verify

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"regexp"
	"sort"
	"time"
)

// refresh makes tokens stale whose roles were read before `before` (Unix milliseconds).
type refresh struct {
	before int64
	// When the last of these tokens expires.
	expires time.Time
}

type listedRefresh struct {
	key string
	refresh
}

var refreshKey = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

func hashOf(text string) string {
	digest := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(digest[:])
}

var everyone = hashOf("*")

// roleKeysOf returns the keys under which the feed lists changes of the roles of this user.
func roleKeysOf(session *Session) []string {
	return []string{hashOf(session.OrganizationID + "/" + session.UserID), hashOf(session.OrganizationID), everyone}
}

// staleTokens contains the changes of roles, which make older tokens stale. With more than limit entries, those with
// the smallest `before` are replaced by an entry for everyone.
type staleTokens struct {
	limit int
	known map[string]refresh
}

// readRefreshes returns nil for the feed of an older service, which has no `refreshes`.
func readRefreshes(feed members) ([]listedRefresh, error) {
	value, found := feed["refreshes"]
	if !found {
		return nil, nil
	}
	listed, ok := value.([]any)
	if !ok {
		return nil, errors.New("the refreshes of the feed are not a list")
	}
	read := make([]listedRefresh, 0, len(listed))
	for _, item := range listed {
		entry := membersOf(item)
		key, isKey := entry["key"].(string)
		before, isBefore := integerOf(entry["before"], -maxSafeInteger, maxSafeInteger)
		expires, isExpires := timeOf(entry["expires_at"])
		if !isKey || !refreshKey.MatchString(key) || !isBefore || !isExpires {
			return nil, errors.New("an entry in the refreshes of the feed is invalid")
		}
		read = append(read, listedRefresh{key, refresh{before, expires}})
	}
	return read, nil
}

// merge adds entries, and removes those that expired before `past`.
func (s *staleTokens) merge(listed []listedRefresh, past time.Time) {
	for key, entry := range s.known {
		if entry.expires.Before(past) {
			delete(s.known, key)
		}
	}
	for _, entry := range listed {
		s.add(entry.key, entry.refresh)
	}
	excess := len(s.known) - s.limit
	if excess <= 0 {
		return
	}
	byTime := make([]listedRefresh, 0, len(s.known))
	for key, entry := range s.known {
		byTime = append(byTime, listedRefresh{key, entry})
	}
	sort.Slice(byTime, func(i, j int) bool { return byTime[i].before < byTime[j].before })
	for _, entry := range byTime[:excess+1] {
		if entry.key != everyone {
			delete(s.known, entry.key)
		}
		s.add(everyone, entry.refresh)
	}
}

func (s *staleTokens) add(key string, entry refresh) {
	if before, found := s.known[key]; found {
		entry.expires = later(entry.expires, before.expires)
		if before.before > entry.before {
			entry.before = before.before
		}
	}
	s.known[key] = entry
}

func (s *staleTokens) isStale(keys []string, permsAt int64) bool {
	for _, key := range keys {
		if permsAt < s.known[key].before {
			return true
		}
	}
	return false
}
