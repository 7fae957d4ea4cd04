package verify

import (
	"context"
	"errors"
	"net/http"
	"time"
)

const (
	// A cached response that is older than this is requested again before it causes a refusal. Not 0, so that a client
	// that is refused repeatedly does not cause a flood of requests.
	maxRefusalAge = time.Second
	maxLookUps    = 10_000
)

// CurrentSession is the current state of a session, as GET /auth/session returns it.
type CurrentSession struct {
	// Role is owner, admin, member or machine.
	Role string
	// Permissions are those of the service and of the product.
	Permissions []string
	// MFAVerifiedAt is when a second factor or a passkey was last verified; the zero time if never.
	MFAVerifiedAt time.Time
	// Body is the whole response of GET /auth/session. Its numbers are of type json.Number.
	Body map[string]any
}

type lookUp struct {
	started moment
	current *CurrentSession
}

type lookUps struct {
	url     string
	fetch   fetcher
	clock   clock
	maxAge  time.Duration
	answers *boundedCache[lookUp]
}

func (l *lookUps) find(ctx context.Context, token string, session *Session, maxAge time.Duration) (lookUp, error) {
	if known, found := l.answers.get(token); found && l.clock.age(known.started) < maxAge {
		return known, nil
	}
	started := l.clock()
	current, err := l.ask(ctx, token, session)
	if err != nil {
		return lookUp{}, err
	}
	answer := lookUp{started, current}
	l.answers.set(token, answer)
	return answer, nil
}

// require returns the error that `refusal` returns for a response that is at most a second old.
func (l *lookUps) require(
	ctx context.Context, token string, session *Session, refusal func(*CurrentSession) error,
) error {
	found, err := l.find(ctx, token, session, l.maxAge)
	if err != nil {
		return err
	}
	refused := refusal(found.current)
	if refused != nil && l.clock.age(found.started) > maxRefusalAge {
		if found, err = l.find(ctx, token, session, maxRefusalAge); err != nil {
			return err
		}
		refused = refusal(found.current)
	}
	return refused
}

var errNotAsked = fail(ServiceUnreachable, "the session could not be requested from the service")

func (l *lookUps) ask(ctx context.Context, token string, session *Session) (*CurrentSession, error) {
	got, err := l.fetch(ctx, request{
		url:         l.url,
		headers:     map[string]string{"Authorization": "Bearer " + token},
		maxBytes:    256 * 1024,
		timeout:     5 * time.Second,
		idleTimeout: 5 * time.Second,
	})
	if err != nil {
		return nil, errNotAsked
	}
	if got.status == http.StatusUnauthorized {
		return nil, fail(SessionRevoked, "the service does not accept this session")
	}
	current, err := readCurrent(got, session)
	if err != nil {
		return nil, errNotAsked
	}
	return current, nil
}

// readCurrent returns an error if the response is about another session, or lacks a field that a check needs.
func readCurrent(got *answer, session *Session) (*CurrentSession, error) {
	body, err := got.json()
	if err != nil {
		return nil, err
	}
	user, capabilities := membersOf(membersOf(body)["user"]), membersOf(membersOf(body)["capabilities"])
	listed, isList := capabilities["permissions"].([]any)
	verifiedAt, isPresent := user["mfa_verified_at"]
	at, isTime := timeOf(verifiedAt)
	if user["user_id"] != session.UserID || user["organization_id"] != session.OrganizationID ||
		user["session_family_id"] != session.SessionID || !isList || !isPresent || (verifiedAt != nil && !isTime) {
		return nil, errors.New("the response is not about this session")
	}
	role, _ := capabilities["role"].(string)
	current := &CurrentSession{Role: role, MFAVerifiedAt: at, Body: membersOf(body)}
	for _, item := range listed {
		if permission, ok := item.(string); ok {
			current.Permissions = append(current.Permissions, permission)
		}
	}
	return current, nil
}
