package verify

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"regexp"
	"sort"
	"strings"
	"time"
)

const (
	// How long an entry is kept after it expires: longer than tokens are accepted after they expire.
	retention = 5 * time.Minute
	// The maximum difference between the clocks of the service's replicas.
	maxReplicaSkew = 10 * time.Second
)

// timeOf parses a time of RFC 3339.
func timeOf(value any) (time.Time, bool) {
	text, ok := value.(string)
	if !ok {
		return time.Time{}, false
	}
	parsed, err := time.Parse(time.RFC3339, text)
	return parsed, err == nil
}

// entry of the feed: of a revocation, when the session was revoked; of a change of roles, the time before which the
// roles of a stale token were read.
type entry struct {
	key string
	at  time.Time
	// When the last of these tokens expires.
	expires time.Time
}

func later(one, other time.Time) time.Time {
	if one.After(other) {
		return one
	}
	return other
}

// latest returns the later times of both. The zero entry has none.
func (e entry) latest(other entry) entry {
	return entry{e.key, later(e.at, other.at), later(e.expires, other.expires)}
}

// entries of the feeds by key. Of two entries with one key, the later times count.
type entries struct {
	limit int
	known map[string]entry
}

func (s *entries) add(e entry) { s.known[e.key] = e.latest(s.known[e.key]) }

// remove removes the entries that expired before `past`.
func (s *entries) remove(past time.Time) {
	for key, each := range s.known {
		if each.expires.Before(past) {
			delete(s.known, key)
		}
	}
}

// excess returns the earliest entries, as many as exceed the limit, and `more` if there are such.
func (s *entries) excess(more int) []entry {
	count := len(s.known) - s.limit
	if count <= 0 {
		return nil
	}
	sorted := make([]entry, 0, len(s.known))
	for _, each := range s.known {
		sorted = append(sorted, each)
	}
	sort.Slice(sorted, func(i, j int) bool { return sorted[i].at.Before(sorted[j].at) })
	return sorted[:count+more]
}

// readEntries reads a list of the feed. It returns an error if `read` does not accept an entry.
func readEntries(feed members, name string, read func(members) (entry, bool)) ([]entry, error) {
	listed, ok := feed[name].([]any)
	if !ok {
		return nil, errors.New("the feed has no list of " + name)
	}
	all := make([]entry, 0, len(listed))
	for _, value := range listed {
		each, ok := read(membersOf(value))
		if !ok {
			return nil, errors.New("an entry in the " + name + " of the feed is invalid")
		}
		all = append(all, each)
	}
	return all, nil
}

func readRevocation(listed members) (entry, bool) {
	sid, _ := listed["sid"].(string)
	at, isAt := timeOf(listed["revoked_at"])
	expires, isExpires := timeOf(listed["expires_at"])
	return entry{strings.ToLower(sid), at, expires}, isAt && isExpires && uuidForm.MatchString(sid)
}

var refreshKey = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

func readRefresh(listed members) (entry, bool) {
	key, _ := listed["key"].(string)
	before, isBefore := integerOf(listed["before"], -maxSafeInteger, maxSafeInteger)
	expires, isExpires := timeOf(listed["expires_at"])
	return entry{key, time.UnixMilli(before), expires}, isBefore && isExpires && refreshKey.MatchString(key)
}

// revokedSessions are the sessions that the feeds have listed. A session is kept until its tokens have expired by the
// clock of this machine, which verifies them, and by that of the service: behind a load balancer the next feed may come
// from a replica that does not know the entry yet, and a partial feed does not list it again. With more than limit
// sessions, those revoked first are dropped, and every token issued up to then is rejected.
type revokedSessions struct {
	entries
	// The zero entry if none was dropped.
	dropped entry
	// generated_at of the last two feeds. The earlier one counts: one feed from a fast clock has no effect.
	made []time.Time
}

// merge adds entries. It returns the time up to which entries have expired by all clocks.
func (r *revokedSessions) merge(listed []entry, generatedAt any, wall time.Time) time.Time {
	made, ok := timeOf(generatedAt)
	if !ok {
		made = time.Unix(0, 0)
	}
	r.made = append(r.made, made)
	if len(r.made) > 2 {
		r.made = r.made[1:]
	}
	past := wall
	if earliest := r.madeAt(); earliest.Before(past) {
		past = earliest
	}
	past = past.Add(-retention)
	r.remove(past)
	if r.dropped.expires.Before(past) {
		r.dropped = entry{}
	}
	for _, each := range listed {
		if each.at.After(r.dropped.at) || each.expires.After(r.dropped.expires) {
			r.add(each)
		}
	}
	for _, each := range r.excess(0) {
		r.dropped = each.latest(r.dropped)
		delete(r.known, each.key)
	}
	return past
}

// madeAt returns the earlier generated_at of the last two feeds.
func (r *revokedSessions) madeAt() time.Time {
	earliest := r.made[0]
	if last := r.made[len(r.made)-1]; last.Before(earliest) {
		earliest = last
	}
	return earliest
}

// require returns an error unless the session of the token is active.
func (r *revokedSessions) require(token *readToken) error {
	if _, found := r.known[token.session.SessionID]; found {
		return fail(SessionRevoked, "the session was revoked")
	}
	if len(r.made) > 0 && !token.session.ExpiresAt.After(r.madeAt()) {
		return fail(TokenExpired, "the token has expired")
	}
	if !r.dropped.at.IsZero() && !token.session.IssuedAt.After(r.dropped.at.Add(maxReplicaSkew)) {
		return fail(TokenExpired, "the token is too old: too many were revoked since")
	}
	return nil
}

func hashOf(text string) string {
	digest := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(digest[:])
}

var everyone = hashOf("*")

// roleKeysOf returns the keys under which the feed lists changes of the roles of this user.
func roleKeysOf(session *Session) []string {
	user, organization := session.UserID, session.OrganizationID
	return []string{hashOf(organization + "/" + user), hashOf("*/" + user), hashOf(organization), everyone}
}

// staleTokens are the changes of roles. With more than limit entries, the earliest are replaced by one for everyone.
type staleTokens struct{ entries }

// merge adds entries, and removes those that expired before `past`.
func (s *staleTokens) merge(listed []entry, past time.Time) {
	s.remove(past)
	for _, each := range listed {
		s.add(each)
	}
	for _, each := range s.excess(1) {
		if each.key != everyone {
			delete(s.known, each.key)
		}
		s.add(entry{everyone, each.at, each.expires})
	}
}

func (s *staleTokens) isStale(keys []string, permsAt time.Time) bool {
	for _, key := range keys {
		if permsAt.Before(s.known[key].at) {
			return true
		}
	}
	return false
}
