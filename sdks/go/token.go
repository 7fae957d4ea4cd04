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
	iat, exp  int64
	// Unix milliseconds; 0 for a token without it: every entry of the feed that names its user makes it stale.
	permsAt int64
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
		return nil, invalid("the token is not signed with RS256")
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
		return nil, invalid("this is not an access token of an application")
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

func isUUID(value any) bool {
	text, ok := value.(string)
	return ok && uuidForm.MatchString(text)
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

func (c *claimReader) fail(name string) {
	if c.err == nil {
		c.err = invalid(fmt.Sprintf("the token's %s is not valid", name))
	}
}

func (c *claimReader) has(name string) bool {
	_, found := c.members[name]
	return found
}

func (c *claimReader) require(name, expected string) {
	if c.members[name] != expected {
		c.fail(name)
	}
}

func (c *claimReader) requireAbsent(names ...string) {
	for _, name := range names {
		if c.has(name) {
			c.fail(name)
		}
	}
}

func (c *claimReader) id(name string) string {
	if !isUUID(c.members[name]) {
		c.fail(name)
		return ""
	}
	return strings.ToLower(c.members[name].(string))
}

func (c *claimReader) str(name string) string {
	text, ok := c.members[name].(string)
	if !ok {
		c.fail(name)
	}
	return text
}

func (c *claimReader) text(name string) string {
	text := c.str(name)
	if text == "" {
		c.fail(name)
	}
	return text
}

func (c *claimReader) boolean(name string) bool {
	value, ok := c.members[name].(bool)
	if !ok {
		c.fail(name)
	}
	return value
}

func (c *claimReader) aal(name string) string {
	value := c.str(name)
	if value != "aal1" && value != "aal2" {
		c.fail(name)
	}
	return value
}

func (c *claimReader) integer(name string, most float64) int64 {
	value, ok := integerOf(c.members[name], 0, most)
	if !ok {
		c.fail(name)
	}
	return value
}

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
	read.iat, read.exp = c.integer("iat", lastSecond), c.integer("exp", lastSecond)
	read.session = Session{
		UserID:         c.id("sub"),
		OrganizationID: c.id("org"),
		SessionID:      c.id("sid"),
		TokenID:        c.id("jti"),
		AuthTime:       time.Unix(c.integer("auth_time", lastSecond), 0),
		IssuedAt:       time.Unix(read.iat, 0),
		ExpiresAt:      time.Unix(read.exp, 0),
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
		session.EmailVerified = c.boolean("email_verified") && c.has("email")
	}
	if c.has("role") {
		session.Role = c.text("role")
	}
	if c.has("perms") {
		session.Permissions = c.texts("perms")
	}
	if c.has("perms_omitted") {
		if !c.boolean("perms_omitted") {
			c.fail("perms_omitted")
		}
		session.Permissions = nil
	}
	if c.has("perms_at") {
		read.permsAt = c.integer("perms_at", maxSafeInteger)
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
