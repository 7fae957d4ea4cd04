package verify

import (
	"encoding/json"
	"errors"
	"net/http"
)

// Code says why a request is refused.
type Code string

// The codes of an Error.
const (
	TokenMissing       Code = "token_missing"       // there is no Bearer token
	TokenInvalid       Code = "token_invalid"       // not an access token or API key of this issuer, or altered
	TokenExpired       Code = "token_expired"       // the client gets a new token by refreshing
	TokenStale         Code = "token_stale"         // roles have changed: the client refreshes
	SessionRevoked     Code = "session_revoked"     // the session has ended, for example by signing out
	StepUpRequired     Code = "step_up_required"    // a stronger or more recent sign-in is required
	Forbidden          Code = "forbidden"           // another organization, a missing permission, not a user
	ServiceUnreachable Code = "service_unreachable" // the token cannot be verified now
)

// Error is the error for every refused request. Its message never contains the token or the key.
type Error struct {
	Code    Code
	message string
	cause   error
}

func (e *Error) Error() string { return e.message }

// Unwrap returns why the service cannot be reached, if that is known.
func (e *Error) Unwrap() error { return e.cause }

func (e *Error) causedBy(cause error) *Error {
	return &Error{Code: e.Code, message: e.message, cause: cause}
}

func fail(code Code, message string) *Error { return &Error{Code: code, message: message} }

func invalid(message string) *Error { return fail(TokenInvalid, message) }

// hasCode returns whether an error is an Error with this code.
func hasCode(err error, code Code) bool {
	var refused *Error
	return errors.As(err, &refused) && refused.Code == code
}

type wire struct {
	status    int
	code      string
	kind      string
	challenge string
}

const (
	authentication = "authentication_required"
	invalidToken   = `Bearer error="invalid_token"`
	retryAfter     = "2"
)

// The challenges are those of RFC 6750 and RFC 9470.
var wires = map[Code]wire{
	TokenMissing:       {401, authentication, "authentication_error", "Bearer"},
	TokenInvalid:       {401, authentication, "authentication_error", invalidToken},
	TokenExpired:       {401, authentication, "authentication_error", invalidToken},
	TokenStale:         {401, authentication, "authentication_error", invalidToken + `, error_description="stale"`},
	SessionRevoked:     {401, authentication, "authentication_error", invalidToken},
	StepUpRequired:     {401, "mfa_required", "mfa_required", `Bearer error="insufficient_user_authentication"`},
	Forbidden:          {403, "forbidden", "authorization_error", `Bearer error="insufficient_scope"`},
	ServiceUnreachable: {503, "service_unreachable", "service_unreachable", ""},
}

// WriteRefusal writes the HTTP response for an error, with an error body in the format of Gatehouse. An error that is
// not an *Error is reported as status 500.
func WriteRefusal(w http.ResponseWriter, err error) {
	var refused *Error
	if !errors.As(err, &refused) {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	answer := wires[refused.Code]
	if answer.challenge == "" {
		w.Header().Set("Retry-After", retryAfter)
	} else {
		w.Header().Set("WWW-Authenticate", answer.challenge)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(answer.status)
	body := map[string]any{"code": answer.code, "message": refused.message, "type": answer.kind}
	_ = json.NewEncoder(w).Encode(map[string]any{"error": body})
}
