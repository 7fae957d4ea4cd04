package verify

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"
)

const (
	// The same limit as in the service.
	maxTokenLength = 4096
	lastSecond     = 8_640_000_000_000
	maxSafeInteger = 1<<53 - 1
)

var (
	threeParts = regexp.MustCompile(`^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$`)
	uuidForm   = regexp.MustCompile(`(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
	// Scopes of OpenID Connect. All others are permissions of the product.
	standardScopes = []string{"openid", "profile", "email", "offline_access", "organization"}
)

// readToken is a token whose signature is not verified yet.
type readToken struct {
	kid       string
	signed    string
	signature []byte
	// 1970 for a token without it: every entry of the feed that names its user makes it stale.
	permsAt time.Time
	session Session
}

var errNotAToken = invalid("this is not a valid JWT")

// parseToken parses a token and rejects what the service cannot have issued. It does not verify the signature.
func parseToken(token, issuer, audience string) (*readToken, error) {
	if len(token) > maxTokenLength {
		return nil, invalid("the token is too long")
	}
	if !threeParts.MatchString(token) {
		return nil, errNotAToken
	}
	parts := strings.Split(token, ".")
	header, err := decodeObject(parts[0])
	if err != nil {
		return nil, err
	}
	if header["alg"] != "RS256" {
		return nil, invalid(fmt.Sprintf(`the token's alg is %s, not "RS256"`, quoted(header["alg"])))
	}
	if _, found := header["crit"]; found {
		return nil, invalid("the token requires an extension (crit), which is not supported")
	}
	kid, ok := header["kid"].(string)
	if !ok {
		return nil, invalid("the token has no key id (kid)")
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	// Only the canonical encoding: stray bits in the last character would make a second token with one signature.
	if err != nil || base64.RawURLEncoding.EncodeToString(signature) != parts[2] {
		return nil, errNotAToken
	}
	if audience != "" && header["typ"] != "at+jwt" {
		found := quoted(header["typ"])
		return nil, invalid(fmt.Sprintf(`the type of the token is %s, not "at+jwt" of an application`, found))
	}
	payload, err := decodeObject(parts[1])
	if err != nil {
		return nil, err
	}
	read := &readToken{kid: kid, signed: parts[0] + "." + parts[1], signature: signature}
	claims := &claimReader{members: payload}
	if audience == "" {
		claims.readSession(read, issuer)
	} else {
		claims.readGrant(read, issuer+"/oauth", audience)
	}
	if claims.err != nil {
		return nil, claims.err
	}
	return read, nil
}

func decodeObject(part string) (members, error) {
	text, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		return nil, errNotAToken
	}
	value, err := parseJSON(text)
	if err != nil {
		return nil, errNotAToken
	}
	return membersOf(value), nil
}

// integerOf returns a JSON number without a fraction.
func integerOf(value any, least, most float64) (int64, bool) {
	number, ok := numberOf(value)
	if !ok || number != math.Trunc(number) || number < least || number > most {
		return 0, false
	}
	return int64(number), true
}

func numberOf(value any) (float64, bool) {
	text, ok := value.(json.Number)
	if !ok {
		return 0, false
	}
	number, err := text.Float64()
	return number, err == nil
}

// claimReader reads claims by their type, and remembers the first that is invalid. A claim that is null is not absent.
type claimReader struct {
	members members
	err     error
}

func (c *claimReader) fail(name string) { c.failUnless(name, "which is not valid") }

func (c *claimReader) failUnless(name, expected string) {
	if c.err != nil {
		return
	}
	found := "missing"
	if c.has(name) {
		found = quoted(c.members[name])
	}
	c.err = invalid(fmt.Sprintf("the token's %s is %s, %s", name, found, expected))
}

func (c *claimReader) has(name string) bool {
	_, found := c.members[name]
	return found
}

func (c *claimReader) require(name, expected string) {
	if c.members[name] != expected {
		c.failUnless(name, "not "+quoted(expected))
	}
}

func (c *claimReader) requireAbsent(names ...string) {
	for _, name := range names {
		if c.has(name) {
			c.failUnless(name, "not missing")
		}
	}
}

// claim returns a claim of this type, if it is valid.
func claim[T any](c *claimReader, name string, isValid func(T) bool) T {
	value, ok := c.members[name].(T)
	if !ok || !isValid(value) {
		c.fail(name)
	}
	return value
}

func (c *claimReader) id(name string) string {
	return strings.ToLower(claim(c, name, uuidForm.MatchString))
}

func (c *claimReader) str(name string) string {
	return claim(c, name, func(string) bool { return true })
}

func (c *claimReader) text(name string) string {
	return claim(c, name, func(text string) bool { return text != "" })
}

func (c *claimReader) aal(name string) string {
	return claim(c, name, func(text string) bool { return text == "aal1" || text == "aal2" })
}

func (c *claimReader) integer(name string, most float64) int64 {
	value, ok := integerOf(c.members[name], 0, most)
	if !ok {
		c.fail(name)
	}
	return value
}

func (c *claimReader) time(name string) time.Time { return time.Unix(c.integer(name, lastSecond), 0) }

func (c *claimReader) texts(name string) []string {
	list, ok := c.members[name].([]any)
	if !ok {
		c.fail(name)
	}
	read := make([]string, 0, len(list))
	for _, item := range list {
		text, ok := item.(string)
		if !ok || text == "" {
			c.fail(name)
		}
		read = append(read, text)
	}
	return read
}

func (c *claimReader) scopes() []string {
	return append([]string{}, strings.FieldsFunc(c.str("scope"), func(r rune) bool { return r == ' ' })...)
}

func (c *claimReader) readCommon(read *readToken) {
	read.session = Session{
		UserID:         c.id("sub"),
		OrganizationID: c.id("org"),
		SessionID:      c.id("sid"),
		TokenID:        c.id("jti"),
		AuthTime:       c.time("auth_time"),
		IssuedAt:       c.time("iat"),
		ExpiresAt:      c.time("exp"),
	}
}

// readSession reads the claims of a session of the service. Anything else is an error, even if its signature is valid.
func (c *claimReader) readSession(read *readToken, issuer string) {
	c.require("typ", "access")
	c.require("iss", issuer)
	// The service issues neither claim: a token with aud is for another audience, one with nbf for a later time.
	c.requireAbsent("aud", "nbf")
	c.readCommon(read)
	session := &read.session
	session.AAL, session.AuthMethod = c.aal("aal"), c.text("auth_method")
	if c.has("email") {
		session.Email = c.str("email")
	}
	if c.has("email_verified") {
		session.EmailVerified = claim(c, "email_verified", func(bool) bool { return true }) && c.has("email")
	}
	if c.has("role") {
		session.Role = c.text("role")
	}
	if c.has("perms") {
		session.Permissions = c.texts("perms")
	}
	if c.has("perms_omitted") {
		claim(c, "perms_omitted", func(isOmitted bool) bool { return isOmitted })
		session.Permissions = nil
	}
	read.permsAt = time.UnixMilli(0)
	if c.has("perms_at") {
		read.permsAt = time.UnixMilli(c.integer("perms_at", maxSafeInteger))
	}
	if c.has("scope") {
		session.Scopes = c.scopes()
	}
}

// readGrant reads the claims of an access token that an application has for this audience.
func (c *claimReader) readGrant(read *readToken, issuer, audience string) {
	c.require("iss", issuer)
	c.require("aud", audience)
	c.requireAbsent("typ", "nbf")
	c.readCommon(read)
	session := &read.session
	session.AAL, session.AuthMethod, session.ClientID = c.aal("acr"), "application", c.text("client_id")
	session.Scopes = c.scopes()
	session.Permissions = []string{}
	for _, scope := range session.Scopes {
		if !contains(standardScopes, scope) {
			session.Permissions = append(session.Permissions, scope)
		}
	}
}
