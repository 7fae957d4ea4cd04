package verify

import (
	"strings"
	"time"
)

// Session is the content of an access token. Its slices must not be changed.
type Session struct {
	// UserID is the id of the user; of a machine, that of the service account. Identify users by it, never by Email.
	UserID         string
	OrganizationID string
	// SessionID is the same for all tokens of a session, across refreshes.
	SessionID string
	// TokenID is unique for each token.
	TokenID string
	// Email is empty if the token does not contain it. It may be unverified, and may change.
	Email         string
	EmailVerified bool
	// AAL is aal1 for one factor, aal2 for a passkey or a second factor.
	AAL string
	// AuthMethod is api_key for a machine, application for a token of an application. Later versions may add values.
	AuthMethod string
	// AuthTime is when the user signed in. Refreshing does not change it.
	AuthTime  time.Time
	IssuedAt  time.Time
	ExpiresAt time.Time
	// Role is owner, admin, member or machine; empty if the service is older than product roles.
	Role string
	// Permissions are those of the product. Nil if the token does not contain them.
	Permissions []string
	// ClientID is the application that acts for the user, with Options.Audience.
	ClientID string
	// Scopes limit the token of a machine or an application. Nil for users.
	Scopes []string
}

// RequireOrganization returns a Forbidden error unless the session belongs to this organization.
func (s *Session) RequireOrganization(organizationID string) error {
	if strings.ToLower(organizationID) != s.OrganizationID {
		found := "the organization of your session is " + s.OrganizationID
		return fail(Forbidden, found+", not "+quoted(organizationID))
	}
	return nil
}

// RequireUser returns a Forbidden error for the session of a machine.
func (s *Session) RequireUser() error {
	if s.AuthMethod == "api_key" {
		return fail(Forbidden, "this requires a user; an API key is not accepted")
	}
	return nil
}

// RequireAAL2 returns an error unless a second factor or a passkey was verified in this session.
func (s *Session) RequireAAL2() error {
	if s.AAL == "aal2" {
		return nil
	}
	if err := s.RequireUser(); err != nil {
		return err
	}
	return fail(StepUpRequired, "this needs a second factor: the session is "+s.AAL+", not aal2")
}

// RequireVerifiedEmail returns a Forbidden error if the email was not verified when the token was issued.
func (s *Session) RequireVerifiedEmail() error {
	if !s.EmailVerified {
		return fail(Forbidden, "verify your email address, then refresh the session")
	}
	return nil
}

func contains(list []string, wanted string) bool {
	for _, item := range list {
		if item == wanted {
			return true
		}
	}
	return false
}
