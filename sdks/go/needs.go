package verify

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// admission is a request whose token was verified.
type admission struct {
	ctx      context.Context
	verifier *Verifier
	token    string
	session  *Session
}

// Need is what a route requires besides an active session.
type Need func(*admission) error

// Organization requires that the session belongs to this organization.
func Organization(organizationID string) Need {
	return func(a *admission) error { return a.session.RequireOrganization(organizationID) }
}

// Role requires at least this role in the organization of the session: owner, admin or member. For a token without a
// role, the service is asked. Machines are refused. It panics for any other role.
func Role(needed string) Need {
	rank := rankOf(needed)
	if rank < 0 {
		panic("verify: the role must be one of " + strings.Join(userRoles, ", ") + ", not " + quoted(needed))
	}
	return func(a *admission) error {
		role := a.session.Role
		if role == "" {
			current, err := a.verifier.lookUp(a.ctx, a.token, a.session)
			if err != nil {
				return err
			}
			role = current.Role
		}
		if rankOf(role) < rank {
			return fail(Forbidden, "this needs the role "+needed+": yours is "+role)
		}
		return nil
	}
}

// userRoles are the roles of users, the highest last. A machine, and a role of a later version, has none of them.
var userRoles = []string{"member", "admin", "owner"}

// rankOf returns -1 for any other role.
func rankOf(role string) int {
	for rank, each := range userRoles {
		if each == role {
			return rank
		}
	}
	return -1
}

// VerifiedEmail requires that the email was verified when the token was issued.
func VerifiedEmail() Need {
	return func(a *admission) error { return a.session.RequireVerifiedEmail() }
}

// AAL2 requires that a second factor or a passkey was verified in this session.
func AAL2() Need {
	return func(a *admission) error { return a.session.RequireAAL2() }
}

// Permission requires a permission in the organization of the session. One of the product is read from the token; for
// one of the service, and for a token without permissions, the service is asked.
func Permission(name string) Need {
	lacks := fail(Forbidden, "your roles do not include "+name)
	return func(a *admission) error {
		session := a.session
		// Scopes only restrict: a permission outside of them is missing, even if the roles include it.
		if session.Scopes != nil && !contains(session.Scopes, name) {
			return lacks
		}
		segment, _, _ := strings.Cut(name, ".")
		if session.Permissions != nil && !contains(serviceSegments, segment) {
			if !contains(session.Permissions, name) {
				return lacks
			}
			return nil
		}
		// The scopes of a machine also list the service's own permissions that it has.
		if session.Scopes != nil {
			return nil
		}
		return a.look(func(current *CurrentSession) error {
			if !contains(current.Permissions, name) {
				return lacks
			}
			return nil
		})
	}
}

// SignedInWithin requires a sign-in at most this long ago. Refreshing does not count.
func SignedInWithin(duration time.Duration) Need {
	return func(a *admission) error {
		if err := a.session.RequireUser(); err != nil {
			return err
		}
		if age := a.verifier.clock().wall.Sub(a.session.AuthTime); age > duration {
			return fail(StepUpRequired, fmt.Sprintf("sign in again: it was %v ago, at most %v are allowed", age, duration))
		}
		return nil
	}
}

// SteppedUpWithin requires that a second factor or a passkey was verified at most this long ago. It asks the service.
func SteppedUpWithin(duration time.Duration) Need {
	return func(a *admission) error {
		if err := a.verifier.requireOwn(); err != nil {
			return err
		}
		if err := a.session.RequireUser(); err != nil {
			return err
		}
		return a.look(func(current *CurrentSession) error {
			at := current.MFAVerifiedAt
			if at.IsZero() || a.verifier.clock().wall.Sub(at) > duration {
				return fail(StepUpRequired, "verify your second factor")
			}
			return nil
		})
	}
}

// look asks the service, and returns the error that `refusal` returns for its answer.
func (a *admission) look(refusal func(*CurrentSession) error) error {
	if err := a.verifier.requireOwn(); err != nil {
		return err
	}
	return a.verifier.lookUps.require(a.ctx, a.token, a.session, refusal)
}

// Admit returns the session of a request with this Authorization header, if it meets all needs, which are checked in
// the given order.
func (v *Verifier) Admit(ctx context.Context, authorization string, needs ...Need) (*Session, error) {
	credential, err := BearerToken(authorization)
	if err != nil {
		return nil, err
	}
	token, session, err := v.authenticate(credential)
	if err != nil {
		return nil, err
	}
	admitted := &admission{ctx: ctx, verifier: v, token: token, session: session}
	for _, need := range needs {
		if err := need(admitted); err != nil {
			return nil, err
		}
	}
	return session, nil
}

type sessionKey struct{}

// Protect returns middleware that admits only requests that meet all needs. The handler reads the session with
// SessionOf. Cookies are never read: an API that accepts them must also protect itself against CSRF.
func (v *Verifier) Protect(needs ...Need) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			session, err := v.Admit(r.Context(), r.Header.Get("Authorization"), needs...)
			if err != nil {
				WriteRefusal(w, err)
				return
			}
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), sessionKey{}, session)))
		})
	}
}

// SessionOf returns the session of a request that has passed Protect. It panics for any other request, so that a route
// without Protect fails at its first use.
func SessionOf(r *http.Request) *Session {
	session, ok := r.Context().Value(sessionKey{}).(*Session)
	if !ok {
		panic("verify: this route is not behind Protect")
	}
	return session
}
