package verify

import (
	"errors"
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

type revocation struct {
	revoked time.Time
	// When the last access token of the session expires.
	expires time.Time
}

func later(one, other time.Time) time.Time {
	if one.After(other) {
		return one
	}
	return other
}

type listedRevocation struct {
	sid string
	revocation
}

// revokedSessions are the sessions that the feeds have listed. A session is kept until its tokens have expired by the
// clock of this machine, which verifies them, and by that of the service: behind a load balancer the next feed may come
// from a replica that does not know the entry yet, and a partial feed does not list it again. With more than limit
// sessions, those revoked first are dropped, and every token issued up to then is rejected.
type revokedSessions struct {
	limit   int
	known   map[string]revocation
	dropped *revocation
	// generated_at of the last two feeds. The earlier one counts: one feed from a fast clock has no effect.
	made []time.Time
}

func readRevocations(feed members) ([]listedRevocation, error) {
	listed, ok := feed["revocations"].([]any)
	if !ok {
		return nil, errors.New("the feed has no list of revocations")
	}
	read := make([]listedRevocation, 0, len(listed))
	for _, value := range listed {
		entry := membersOf(value)
		revoked, isRevoked := timeOf(entry["revoked_at"])
		expires, isExpires := timeOf(entry["expires_at"])
		if !isRevoked || !isExpires || !isUUID(entry["sid"]) {
			return nil, errors.New("a revocation in the feed is invalid")
		}
		sid := strings.ToLower(entry["sid"].(string))
		read = append(read, listedRevocation{sid, revocation{revoked, expires}})
	}
	return read, nil
}

// merge adds entries. It returns the time up to which entries have expired by all clocks.
func (r *revokedSessions) merge(listed []listedRevocation, generatedAt any, wall time.Time) time.Time {
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
	for sid, entry := range r.known {
		if entry.expires.Before(past) {
			delete(r.known, sid)
		}
	}
	if r.dropped != nil && r.dropped.expires.Before(past) {
		r.dropped = nil
	}
	for _, entry := range listed {
		if d := r.dropped; d != nil && !entry.revoked.After(d.revoked) && !entry.expires.After(d.expires) {
			continue
		}
		before := r.known[entry.sid]
		r.known[entry.sid] = revocation{later(entry.revoked, before.revoked), later(entry.expires, before.expires)}
	}
	r.dropExcess()
	return past
}

func (r *revokedSessions) dropExcess() {
	excess := len(r.known) - r.limit
	if excess <= 0 {
		return
	}
	byAge := make([]listedRevocation, 0, len(r.known))
	for sid, entry := range r.known {
		byAge = append(byAge, listedRevocation{sid, entry})
	}
	sort.Slice(byAge, func(i, j int) bool { return byAge[i].revoked.Before(byAge[j].revoked) })
	for _, entry := range byAge[:excess] {
		if r.dropped == nil {
			r.dropped = &revocation{}
		}
		r.dropped.revoked = later(entry.revoked, r.dropped.revoked)
		r.dropped.expires = later(entry.expires, r.dropped.expires)
		delete(r.known, entry.sid)
	}
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
	if r.dropped != nil && !token.session.IssuedAt.After(r.dropped.revoked.Add(maxReplicaSkew)) {
		return fail(TokenExpired, "the token is too old: more sessions were revoked since than are kept")
	}
	return nil
}
