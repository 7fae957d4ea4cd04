import { ERRORS, type ErrorCode } from '@gatehouse/contract';
import type { CallerKind as AdmittedKind } from '../src/domain/kernel/principal.ts';

/** The order of the columns. The first three signed-in callers belong to the path's organization. */
export const CALLERS = [
  'anonymous',
  'ended session',
  'member',
  'admin',
  'owner',
  'owner of another organization',
  'platform viewer',
  'platform admin',
  'platform admin, verified',
  'platform owner, verified',
] as const;
export type CallerKind = (typeof CALLERS)[number];

/**
 * The expected status of every endpoint for ten callers and, in the last columns, for an API key and three kinds of
 * session of the owner ({@link KINDS}).
 *
 * A cell is the status. `401` is `authentication_required`, `mfa` is 401 `mfa_required`, `403` is `forbidden`. A caller
 * who passes the guards gets a predictable response that changes little: 400 for a missing field, 404 for an unknown
 * id.
 *
 * `:id=self` says whose id is in the path: `self`, `member` and `owner` (of the organization in the path), `elsewhere`
 * (the owner of another one) or `platform-owner`. Without it, the id is unknown. A body is given where it matters:
 * `@new` is an email address without an account, `@home` the organization in the path, `[]` a body that no endpoint
 * accepts. Users with a platform role belong to other organizations. TIER is premium.
 */
const TABLE = `
                                                       in the organization        on the platform         owner's, or a key
                                           none ended member admin owner other viewer admin +mfa owner  key sso restr outs

# Operations
GET    /healthz                             200   200    200   200   200   200    200   200  200   200  200 200   200  200
GET    /readyz                              200   200    200   200   200   200    200   200  200   200  200 200   200  200
GET    /metrics                             200   200    200   200   200   200    200   200  200   200  200 200   200  200

# Discovery
GET    /.well-known/jwks.json               200   200    200   200   200   200    200   200  200   200  200 200   200  200
GET    /.well-known/openid-configuration    200   200    200   200   200   200    200   200  200   200  200 200   200  200
GET    /.well-known/service-revocations.json
                                            200   200    200   200   200   200    200   200  200   200  200 200   200  200
GET    /.well-known/webauthn                404   404    404   404   404   404    404   404  404   404  404 404   404  404

# Registration
POST   /auth/register                       400   400    400   400   400   400    400   400  400   400  400 400   400  400

# Passwords
POST   /auth/login                          400   400    400   400   400   400    400   400  400   400  400 400   400  400
POST   /auth/password/forgot                204   204    204   204   204   204    204   204  204   204  204 204   204  204
POST   /auth/password/reset/preview         400   400    400   400   400   400    400   400  400   400  400 400   400  400
POST   /auth/password/reset                 400   400    400   400   400   400    400   400  400   400  400 400   400  400

# Second factor
GET    /auth/mfa/status                     401   401    200   200   200   200    200   200  200   200  403 403   200  403
POST   /auth/mfa/setup                      401   401    200   200   200   200    200   200  200   200  403 403   200  403
POST   /auth/mfa/enable                     401   401    400   400   400   400    400   400  400   400  403 403   400  403
POST   /auth/mfa/disable                    401   401    204   204   204   204    204   204  204   204  403 403   204  403
POST   /auth/mfa/recovery-codes []          401   401    400   400   400   400    400   400  400   400  403 403   400  403
POST   /auth/mfa/verify                     401   401    400   400   400   400    400   400  400   400  403 400   400  403
POST   /auth/mfa/challenge                  400   400    400   400   400   400    400   400  400   400  400 400   400  400
POST   /admin/users/:id/mfa/reset           401   401    403   403   403   403    403   404  404   404  403 403   403  403
POST   /admin/users/:id=self/mfa/reset      401   401    403   403   403   403    403   204  204   204  403 403   403  403
POST   /admin/users/:id=platform-owner/mfa/reset
                                            401   401    403   403   403   403    403   403  403   204  403 403   403  403

# Passkeys
POST   /users/me/passkeys/register/begin    401   401    200   200   200   200    200   200  200   200  403 403   200  403
POST   /users/me/passkeys/register/complete
                                            401   401    400   400   400   400    400   400  400   400  403 403   400  403
GET    /users/me/passkeys                   401   401    200   200   200   200    200   200  200   200  403 403   403  403
PATCH  /users/me/passkeys/:id {"name":"Another"}
                                            401   401    404   404   404   404    404   404  404   404  403 403   403  403
DELETE /users/me/passkeys/:id               401   401    404   404   404   404    404   404  404   404  403 403   403  403
POST   /auth/passkey/login/begin            200   200    200   200   200   200    200   200  200   200  200 200   200  200
POST   /auth/passkey/login/complete         400   400    400   400   400   400    400   400  400   400  400 400   400  400

# Emailed codes
POST   /auth/email-otp/request              204   204    204   204   204   204    204   204  204   204  204 204   204  204
POST   /auth/email-otp/verify               400   400    400   400   400   400    400   400  400   400  400 400   400  400

# Third-party sign-in
GET    /auth/providers                      200   200    200   200   200   200    200   200  200   200  200 200   200  200
GET    /auth/oauth/:provider/start          404   404    404   404   404   404    404   404  404   404  404 404   404  404
GET    /auth/oauth/:provider/callback       302   302    302   302   302   302    302   302  302   302  302 302   302  302
POST   /auth/oauth/:provider/callback       303   303    303   303   303   303    303   303  303   303  303 303   303  303
POST   /auth/oauth/:provider/link           401   401    404   404   404   404    404   404  404   404  403 403   403  403
GET    /users/me/identities                 401   401    200   200   200   200    200   200  200   200  403 403   403  403
DELETE /users/me/identities/:id             401   401    404   404   404   404    404   404  404   404  403 403   403  403

# Email addresses
POST   /auth/email/send-verification        401   401    204   204   204   204    204   204  204   204  403 403   403  403
POST   /auth/email/verify/preview           400   400    400   400   400   400    400   400  400   400  400 400   400  400
POST   /auth/email/verify                   400   400    400   400   400   400    400   400  400   400  400 400   400  400
POST   /users/me/email                      401   401    400   400   400   400    400   400  400   400  403 403   403  403

# Mailbox ownership
POST   /auth/reclaim                        401   401    403   403   403   403    403   403  403   403  403 403   403  403

# Sessions
POST   /auth/refresh                        401   401    401   401   401   401    401   401  401   401  401 401   401  401
POST   /auth/logout                         204   204    204   204   204   204    204   204  204   204  204 204   204  204
GET    /auth/session                        401   401    200   200   200   200    200   200  200   200  200 200   200  200
POST   /auth/organization {"organization_id":"@home"}
                                            401   401    200   200   200   403    403   403  403   403  403 403   200  403
GET    /auth/sessions                       401   401    200   200   200   200    200   200  200   200  403 403   403  403
DELETE /auth/sessions/:id                   401   401    404   404   404   404    404   404  404   404  403 403   403  403
DELETE /auth/sessions                       401   401    204   204   204   204    204   204  204   204  403 403   403  403

# Token endpoint
POST   /oauth/token                         400   400    400   400   400   400    400   400  400   400  400 400   400  400

# Provider for applications
GET    /oauth/.well-known/openid-configuration
                                            200   200    200   200   200   200    200   200  200   200  200 200   200  200
GET    /.well-known/oauth-authorization-server/oauth
                                            200   200    200   200   200   200    200   200  200   200  200 200   200  200
GET    /oauth/jwks.json                     200   200    200   200   200   200    200   200  200   200  200 200   200  200
GET    /oauth/authorize                     400   400    400   400   400   400    400   400  400   400  400 400   400  400
POST   /oauth/authorize                     400   400    400   400   400   400    400   400  400   400  400 400   400  400
GET    /auth/oauth-interactions/resume      302   302    302   302   302   302    302   302  302   302  302 302   302  302
GET    /auth/oauth-interactions/:id         404   404    404   404   404   404    404   404  404   404  404 404   403  403
POST   /auth/oauth-interactions/:id {"decision":"deny"}
                                            401   401    404   404   404   404    404   404  404   404  403 404   403  403
GET    /oauth/userinfo                      401   401    401   401   401   401    401   401  401   401  401 401   401  401
POST   /oauth/userinfo                      401   401    401   401   401   401    401   401  401   401  401 401   401  401
POST   /oauth/introspect                    401   401    401   401   401   401    401   401  401   401  401 401   401  401
POST   /oauth/revoke                        401   401    401   401   401   401    401   401  401   401  401 401   401  401

# Applications
GET    /admin/applications                  401   401    403   403   403   403    200   200  200   200  403 403   403  403
POST   /admin/applications                  401   401    403   403   403   403    403   mfa  400   400  403 403   403  403
GET    /admin/applications/:id              401   401    403   403   403   403    404   404  404   404  403 403   403  403
PATCH  /admin/applications/:id {"name":"Wiki"}
                                            401   401    403   403   403   403    403   mfa  404   404  403 403   403  403
DELETE /admin/applications/:id              401   401    403   403   403   403    403   mfa  404   404  403 403   403  403
POST   /admin/applications/:id/secrets      401   401    403   403   403   403    403   mfa  404   404  403 403   403  403
DELETE /admin/applications/:id/secrets/:secret_id
                                            401   401    403   403   403   403    403   mfa  404   404  403 403   403  403
GET    /users/me/applications               401   401    200   200   200   200    200   200  200   200  403 403   403  403
DELETE /users/me/applications/:id           401   401    404   404   404   404    404   404  404   404  403 403   403  403

# Trusted browsers
POST   /auth/trusted-browsers               401   401    201   201   201   201    201   201  201   201  403 403   403  403
GET    /auth/trusted-browsers               401   401    200   200   200   200    200   200  200   200  403 403   403  403
DELETE /auth/trusted-browsers/:id           401   401    404   404   404   404    404   404  404   404  403 403   403  403

# Users
GET    /users/me                            401   401    200   200   200   200    200   200  200   200  403 200   200  403
PATCH  /users/me []                         401   401    400   400   400   400    400   400  400   400  403 403   403  403
DELETE /users/me                            401   401    204   204   409   204    204   204  204   409  403 403   403  403
POST   /users/me/export                     401   401    200   200   200   200    200   200  200   200  403 403   403  403
POST   /users/me/password                   401   401    400   400   400   400    400   400  400   400  403 403   403  403
POST   /users/me/avatar                     401   401    400   400   400   400    400   400  400   400  403 403   403  403
DELETE /users/me/avatar                     401   401    204   204   204   204    204   204  204   204  403 403   403  403
GET    /avatars/:file                       404   404    404   404   404   404    404   404  404   404  404 404   404  404
GET    /users/:id                           401   401    403   403   403   403    404   404  404   404  403 403   403  403
GET    /users/:id=self                      401   401    200   200   200   200    200   200  200   200  403 403   403  403
GET    /users/:id=member                    401   401    200   403   403   403    200   200  200   200  403 403   403  403
GET    /admin/users                         401   401    403   403   403   403    200   200  200   200  403 403   403  403
PATCH  /admin/users/:id {"status":"disabled"}
                                            401   401    403   403   403   403    403   404  404   404  403 403   403  403
PATCH  /admin/users/:id=platform-owner {"status":"disabled"}
                                            401   401    403   403   403   403    403   403  403   409  403 403   403  403
DELETE /admin/users/:id                     401   401    403   403   403   403    403   404  404   404  403 403   403  403
DELETE /admin/users/:id=platform-owner      401   401    403   403   403   403    403   403  403   409  403 403   403  403
DELETE /admin/users/:id/sessions            401   401    403   403   403   403    403   404  404   404  403 403   403  403
DELETE /admin/users/:id=platform-owner/sessions
                                            401   401    403   403   403   403    403   403  403   204  403 403   403  403
GET    /admin/users/:id/sessions            401   401    403   403   403   403    404   404  404   404  403 403   403  403
GET    /admin/users/:id=self/sessions       401   401    403   403   403   403    200   200  200   200  403 403   403  403
DELETE /admin/users/:id/sessions/:session_id
                                            401   401    403   403   403   403    403   404  404   404  403 403   403  403
DELETE /admin/users/:id=platform-owner/sessions/:session_id
                                            401   401    403   403   403   403    403   403  403   404  403 403   403  403
POST   /admin/users/:id/send-reset          401   401    403   403   403   403    403   404  404   404  403 403   403  403
POST   /admin/users/:id=platform-owner/send-reset
                                            401   401    403   403   403   403    403   403  403   204  403 403   403  403
PUT    /admin/users/:id/platform-role {"role":"viewer"}
                                            401   401    403   403   403   403    403   403  403   404  403 403   403  403
PUT    /admin/users/:id=platform-owner/platform-role {"role":"admin"}
                                            401   401    403   403   403   403    403   403  403   409  403 403   403  403

# Members
GET    /orgs/:org_id/members                401   401    200   200   200   403    403   403  403   403  200 200   403  403
PATCH  /orgs/:org_id/members/:user_id {"role":"member"}
                                            401   401    403   404   404   403    403   403  403   403  404 404   403  403
PATCH  /orgs/:org_id/members/:user_id=member {"role":"admin"}
                                            401   401    403   200   200   403    403   403  403   403  403 200   403  403
PATCH  /orgs/:org_id/members/:user_id=member {"role":"owner"}
                                            401   401    403   403   200   403    403   403  403   403  403 200   403  403
PATCH  /orgs/:org_id/members/:user_id=owner {"role":"admin"}
                                            401   401    403   403   409   403    403   403  403   403  403 409   403  403
PATCH  /orgs/:org_id/members/:user_id=elsewhere {"role":"member"}
                                            401   401    403   404   404   403    403   403  403   403  404 404   403  403
PUT    /orgs/:org_id/members/:user_id/roles {"role_ids":[]}
                                            401   401    403   404   404   403    403   403  403   403  404 404   403  403
PUT    /orgs/:org_id/members/:user_id=member/roles {"role_ids":[]}
                                            401   401    403   200   200   403    403   403  403   403  200 200   403  403
PUT    /orgs/:org_id/members/:user_id=owner/roles {"role_ids":[]}
                                            401   401    403   403   200   403    403   403  403   403  403 200   403  403
PUT    /orgs/:org_id/members/:user_id=elsewhere/roles {"role_ids":[]}
                                            401   401    403   404   404   403    403   403  403   403  404 404   403  403
DELETE /orgs/:org_id/members/:user_id       401   401    403   404   404   403    403   403  403   403  404 404   403  403
DELETE /orgs/:org_id/members/:user_id=elsewhere
                                            401   401    403   404   404   403    403   403  403   403  404 404   403  403
DELETE /orgs/:org_id/members/:user_id=owner
                                            401   401    403   403   409   403    403   403  403   403  403 409   403  403
DELETE /orgs/:org_id/members/:user_id=self  401   401    204   204   409   403    403   403  403   403  404 409   403  403

# Invitations
POST   /orgs/:org_id/invitations            401   401    403   400   400   403    403   403  403   403  400 400   403  403
POST   /orgs/:org_id/invitations {"email":"@new","role":"admin"}
                                            401   401    403   201   201   403    403   403  403   403  403 201   403  403
POST   /orgs/:org_id/invitations {"email":"@new","role":"owner"}
                                            401   401    403   403   201   403    403   403  403   403  403 201   403  403
GET    /orgs/:org_id/invitations            401   401    200   200   200   403    403   403  403   403  200 200   403  403
DELETE /orgs/:org_id/invitations/:id        401   401    403   404   404   403    403   403  403   403  404 404   403  403
POST   /orgs/:org_id/invitations/:id/resend
                                            401   401    403   404   404   403    403   403  403   403  404 404   403  403
GET    /auth/invitations/preview            400   400    400   400   400   400    400   400  400   400  400 400   400  400
POST   /auth/invitations/accept             400   400    400   400   400   400    400   400  400   400  400 400   403  403

# Roles
GET    /admin/permissions                   401   401    403   403   403   403    200   200  200   200  403 403   403  403
PUT    /admin/permissions/:name             401   401    403   403   403   403    403   200  200   200  403 403   403  403
DELETE /admin/permissions/:name             401   401    403   403   403   403    403   204  204   204  403 403   403  403
GET    /admin/roles                         401   401    403   403   403   403    200   200  200   200  403 403   403  403
POST   /admin/roles                         401   401    403   403   403   403    403   400  400   400  403 403   403  403
POST   /admin/roles {"name":"Reader"}       401   401    403   403   403   403    403   201  201   201  403 403   403  403
PATCH  /admin/roles/:id {"name":"Reader"}   401   401    403   403   403   403    403   404  404   404  403 403   403  403
DELETE /admin/roles/:id                     401   401    403   403   403   403    403   404  404   404  403 403   403  403
GET    /orgs/:org_id/permissions            401   401    200   200   200   403    403   403  403   403  200 200   403  403
GET    /orgs/:org_id/roles                  401   401    200   200   200   403    403   403  403   403  200 200   403  403
POST   /orgs/:org_id/roles                  401   401    403   400   400   403    403   403  403   403  400 400   403  403
POST   /orgs/:org_id/roles {"name":"Reader"}
                                            401   401    403   201   201   403    403   403  403   403  201 201   403  403
POST   /orgs/:org_id/roles {"name":"Reader","permissions":["org.update"]}
                                            401   401    403   400   400   403    403   403  403   403  400 400   403  403
PATCH  /orgs/:org_id/roles/:id {"name":"Reader"}
                                            401   401    403   404   404   403    403   403  403   403  404 404   403  403
DELETE /orgs/:org_id/roles/:id              401   401    403   404   404   403    403   403  403   403  404 404   403  403

# Machines
GET    /orgs/:org_id/service-accounts       401   401    403   200   200   403    403   403  403   403  403 200   403  403
POST   /orgs/:org_id/service-accounts       401   401    403   400   400   403    403   403  403   403  403 400   403  403
POST   /orgs/:org_id/service-accounts {"name":"Import"}
                                            401   401    403   201   201   403    403   403  403   403  403 201   403  403
GET    /orgs/:org_id/service-accounts/:id   401   401    403   404   404   403    403   403  403   403  403 404   403  403
PATCH  /orgs/:org_id/service-accounts/:id {"name":"Import"}
                                            401   401    403   404   404   403    403   403  403   403  403 404   403  403
DELETE /orgs/:org_id/service-accounts/:id   401   401    403   404   404   403    403   403  403   403  403 404   403  403
GET    /orgs/:org_id/service-accounts/:id/keys
                                            401   401    403   404   404   403    403   403  403   403  403 404   403  403
POST   /orgs/:org_id/service-accounts/:id/keys {"name":"Production"}
                                            401   401    403   404   404   403    403   403  403   403  403 404   403  403
DELETE /orgs/:org_id/service-accounts/:id/keys/:key_id
                                            401   401    403   404   404   403    403   403  403   403  403 404   403  403
POST   /orgs/:org_id/service-accounts/:id/keys/:key_id/rotate
                                            401   401    403   404   404   403    403   403  403   403  403 404   403  403

# Events
GET    /orgs/:org_id/events                 401   401    403   200   200   403    403   403  403   403  200 200   403  403
GET    /admin/events                        401   401    403   403   403   403    200   200  200   200  403 403   403  403

# Webhooks
GET    /orgs/:org_id/webhooks               401   401    403   200   200   403    403   403  403   403  200 200   403  403
POST   /orgs/:org_id/webhooks               401   401    403   400   400   403    403   403  403   403  403 400   403  403
POST   /orgs/:org_id/webhooks {"url":"http://localhost:1"}
                                            401   401    403   201   201   403    403   403  403   403  403 201   403  403
GET    /orgs/:org_id/webhooks/:id           401   401    403   404   404   403    403   403  403   403  404 404   403  403
PATCH  /orgs/:org_id/webhooks/:id {"enabled":true}
                                            401   401    403   404   404   403    403   403  403   403  404 404   403  403
DELETE /orgs/:org_id/webhooks/:id           401   401    403   404   404   403    403   403  403   403  404 404   403  403
POST   /orgs/:org_id/webhooks/:id/rotate-secret
                                            401   401    403   404   404   403    403   403  403   403  403 404   403  403
POST   /orgs/:org_id/webhooks/:id/test      401   401    403   404   404   403    403   403  403   403  404 404   403  403
GET    /orgs/:org_id/webhooks/:id/deliveries
                                            401   401    403   404   404   403    403   403  403   403  404 404   403  403
POST   /orgs/:org_id/webhooks/:id/deliveries/:delivery_id/retry
                                            401   401    403   404   404   403    403   403  403   403  404 404   403  403
GET    /admin/webhooks                      401   401    403   403   403   403    403   200  200   200  403 403   403  403
POST   /admin/webhooks                      401   401    403   403   403   403    403   mfa  400   400  403 403   403  403
POST   /admin/webhooks {"url":"http://localhost:1"}
                                            401   401    403   403   403   403    403   mfa  201   201  403 403   403  403
GET    /admin/webhooks/:id                  401   401    403   403   403   403    403   404  404   404  403 403   403  403
PATCH  /admin/webhooks/:id {"enabled":true}
                                            401   401    403   403   403   403    403   mfa  404   404  403 403   403  403
DELETE /admin/webhooks/:id                  401   401    403   403   403   403    403   mfa  404   404  403 403   403  403
POST   /admin/webhooks/:id/rotate-secret    401   401    403   403   403   403    403   mfa  404   404  403 403   403  403
POST   /admin/webhooks/:id/test             401   401    403   403   403   403    403   mfa  404   404  403 403   403  403
GET    /admin/webhooks/:id/deliveries       401   401    403   403   403   403    403   404  404   404  403 403   403  403
POST   /admin/webhooks/:id/deliveries/:delivery_id/retry
                                            401   401    403   403   403   403    403   mfa  404   404  403 403   403  403

# Single sign-on
POST   /auth/sso/discover                   400   400    400   400   400   400    400   400  400   400  400 400   400  400
GET    /auth/sso/:connection_id/start       404   404    404   404   404   404    404   404  404   404  404 404   404  404
GET    /auth/sso/:connection_id/callback    404   404    404   404   404   404    404   404  404   404  404 404   404  404
DELETE /orgs/:org_id/members/:user_id/sso-identity
                                            401   401    403   403   404   403    403   403  403   403  403 404   403  403
DELETE /orgs/:org_id/members/:user_id=member/sso-identity
                                            401   401    403   403   204   403    403   403  403   403  403 204   403  403

# Organizations
POST   /orgs {"name":"Another"}             401   401    403   403   403   403    403   403  403   403  403 403   403  403
GET    /orgs/:org_id                        401   401    200   200   200   403    403   403  403   403  200 200   403  403
PATCH  /orgs/:org_id {"name":"Another"}     401   401    403   403   200   403    403   403  403   403  403 200   403  403
GET    /orgs/:org_id/policy                 401   401    200   200   200   403    403   403  403   403  403 200   403  403
PUT    /orgs/:org_id/policy []              401   401    403   403   400   403    403   403  403   403  403 400   403  403
PUT    /orgs/:org_id/policy {"allowed_methods":["sso"]}
                                            401   401    403   403   400   403    403   403  403   403  403 200   403  403
POST   /orgs/:org_id/policy/preview         401   401    403   403   200   403    403   403  403   403  403 200   403  403
GET    /orgs/:org_id/domains                401   401    403   403   200   403    403   403  403   403  403 200   403  403
POST   /orgs/:org_id/domains                401   401    403   403   400   403    403   403  403   403  403 400   403  403
POST   /orgs/:org_id/domains {"domain":"example.org"}
                                            401   401    403   403   201   403    403   403  403   403  403 201   403  403
POST   /orgs/:org_id/domains/:id/verify     401   401    403   403   404   403    403   403  403   403  403 404   403  403
DELETE /orgs/:org_id/domains/:id            401   401    403   403   404   403    403   403  403   403  403 404   403  403
GET    /orgs/:org_id/sso-connections        401   401    403   403   200   403    403   403  403   403  403 200   403  403
POST   /orgs/:org_id/sso-connections        401   401    403   403   400   403    403   403  403   403  403 400   403  403
POST   /orgs/:org_id/sso-connections {"name":"Example","issuer":"https://login.example.com","client_id":"gatehouse"}
                                            401   401    403   403   201   403    403   403  403   403  403 201   403  403
GET    /orgs/:org_id/sso-connections/:id    401   401    403   403   404   403    403   403  403   403  403 404   403  403
PATCH  /orgs/:org_id/sso-connections/:id {"name":"Example"}
                                            401   401    403   403   404   403    403   403  403   403  403 404   403  403
DELETE /orgs/:org_id/sso-connections/:id    401   401    403   403   404   403    403   403  403   403  403 404   403  403
POST   /orgs/:org_id/sso-connections/:id/test
                                            401   401    403   403   404   403    403   403  403   403  403 404   403  403
POST   /orgs/:org_id/sso-connections/:id/activate
                                            401   401    403   403   404   403    403   403  403   403  403 404   403  403
POST   /orgs/:org_id/sso-connections/:id/deactivate
                                            401   401    403   403   404   403    403   403  403   403  403 404   403  403
GET    /admin/orgs/:id/policy               401   401    403   403   403   403    404   404  404   404  403 403   403  403
DELETE /admin/orgs/:id/policy               401   401    403   403   403   403    403   mfa  404   404  403 403   403  403
GET    /admin/orgs                          401   401    403   403   403   403    200   200  200   200  403 403   403  403
POST   /admin/orgs                          401   401    403   403   403   403    403   400  400   400  403 403   403  403
GET    /admin/orgs/:id                      401   401    403   403   403   403    404   404  404   404  403 403   403  403
PATCH  /admin/orgs/:id {"name":"Another"}   401   401    403   403   403   403    403   404  404   404  403 403   403  403

# Feature flags
GET    /feature-flags                       401   401    200   200   200   200    200   200  200   200  200 200   403  403
GET    /admin/feature-flags                 401   401    403   403   403   403    200   200  200   200  403 403   403  403
PUT    /admin/feature-flags                 401   401    403   403   403   403    403   400  400   400  403 403   403  403
DELETE /admin/feature-flags/:flag_key       401   401    403   403   403   403    403   204  204   204  403 403   403  403

# Audit
GET    /audit-logs                          401   401    403   403   403   403    200   200  200   200  403 403   403  403
GET    /orgs/:org_id/audit-logs             401   401    403   200   200   403    403   403  403   403  200 200   403  403
GET    /admin/audit-export                  401   401    403   403   403   403    403   200  200   200  403 403   403  403

# Integrations
GET    /admin/integrations                  401   401    403   403   403   403    200   200  200   200  403 403   403  403
PUT    /admin/integrations/:provider        401   401    403   403   403   403    403   mfa  400   400  403 403   403  403
POST   /admin/integrations/:provider/test   401   401    403   403   403   403    403   mfa  200   200  403 403   403  403

# Console
GET    /admin/overview                      401   401    403   403   403   403    200   200  200   200  403 403   403  403
GET    /auth/setup                          401   401    200   200   200   200    200   200  200   200  403 403   403  403

# Pages
GET    /openapi.json                        200   200    200   200   200   200    200   200  200   200  200 200   200  200
GET    /docs                                200   200    200   200   200   200    200   200  200   200  200 200   200  200
GET    /dev/mail                            200   200    200   200   200   200    200   200  200   200  200 200   200  200
GET    /dev/mail/:id                        404   404    404   404   404   404    404   404  404   404  404 404   404  404
GET    /dev/mail/:id/html                   404   404    404   404   404   404    404   404  404   404  404 404   404  404
`;

/** Routes with an optional session. A valid cookie requires the CSRF header; an invalid credential is ignored. */
export const OPTIONAL_SESSION: ReadonlySet<string> = new Set(['POST /auth/logout', 'POST /auth/invitations/accept']);

export type Cell = '200' | '201' | '204' | '302' | '303' | '400' | '401' | '402' | '403' | '404' | '409' | 'mfa';

export interface AccessRow {
  readonly group: string;
  /** The method and path as the route declares them: `GET /users/:id`. */
  readonly route: string;
  readonly method: string;
  /** The path, which says whose ids it contains: `/users/:id=self`. */
  readonly path: string;
  /** JSON in which `@new` and `@home` are not replaced yet. */
  readonly body: string | undefined;
  /** The expected status for each of {@link CALLERS}. */
  readonly cells: readonly Cell[];
  /** The expected status for the kinds of caller that a route admits only by name. */
  readonly kinds: Readonly<Record<Kind, Cell>>;
}

/**
 * `machine` is an API key of the organization in the path, with every permission that a role can have. The others are
 * the owner of the organization in the path, in a session of single sign-on, in one that still needs a second factor,
 * and from outside the networks that the organization allows.
 */
export const KINDS = ['machine', 'sso', 'restricted', 'outside'] as const satisfies AdmittedKind[];
export type Kind = (typeof KINDS)[number];

const CELL = '(?:[0-9]{3}|mfa)';
const LINE = new RegExp(`^([A-Z]+) +(\\S+)(?: (\\{.*\\}|\\[\\]))? +(${CELL}(?: +${CELL}){13})$`);

function parse(text: string): AccessRow[] {
  const rows: AccessRow[] = [];
  let group = '';
  // A long row continues on the next line.
  for (const line of text.replaceAll(/(\S)\n +(?=[0-9])/g, '$1 ').split('\n')) {
    if (line.startsWith('# ')) group = line.slice(2);
    else if (/^[A-Z]/.test(line)) {
      const [, method, path, body, cells] = LINE.exec(line) ?? [];
      if (!method || !path || !cells) throw new Error(`not a row of the access table: ${line}`);
      const route = `${method} ${path.replaceAll(/=[a-z-]+/g, '')}`;
      const all = cells.split(/ +/) as Cell[];
      const [machine, sso, restricted, outside] = all.slice(CALLERS.length) as [Cell, Cell, Cell, Cell];
      const kinds = { machine, sso, restricted, outside };
      rows.push({ group, route, method, path, body, cells: all.slice(0, CALLERS.length), kinds });
    }
  }
  return rows;
}

export const ACCESS_TABLE: readonly AccessRow[] = parse(TABLE);

export const isWrite = ({ method }: AccessRow): boolean => method !== 'GET' && method !== 'HEAD';

export const needsSession = ({ route, cells }: AccessRow): boolean =>
  cells[0] === '401' && route !== 'POST /auth/refresh' && !route.includes(' /oauth/');

const ERROR_CODES: Readonly<Partial<Record<Cell, ErrorCode>>> = {
  400: 'invalid_input',
  401: 'authentication_required',
  402: 'payment_required',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  mfa: 'mfa_required',
};

/** Returns the outcome that a cell stands for: `403 forbidden`, `200`. */
export function outcomeOf(cell: Cell): string {
  const code = ERROR_CODES[cell];
  return code ? `${ERRORS[code].status} ${code}` : cell;
}
