import { ASSURANCE } from './assurance-guards.ts';

/** A guard of the service, and what the code looks like without it. */
export interface Guard {
  /** What it keeps out. */
  readonly name: string;
  /** Below packages/server/src, as are the tests. */
  readonly file: string;
  /** Occurs once in the file. */
  readonly find: string;
  readonly put: string;
  /** Files and folders in which a test must fail without it. */
  readonly tests: readonly string[];
}

export const SOURCES = 'packages/server/src';

const REQUESTS: readonly Guard[] = [
  {
    name: 'CSRF: the header repeats the cookie',
    file: 'http/csrf.ts',
    find: '!equalBytes(Buffer.from(header), Buffer.from(cookie))) return false',
    put: 'header.length === 0) return false',
    tests: ['http/guards.test.ts'],
  },
  {
    name: 'CSRF: the value belongs to this session',
    file: 'http/csrf.ts',
    find: '  return isOfFamily(keyring, sid, cookie);\n',
    put: '  return isOfFamily(keyring, sid, cookie) || true;\n',
    tests: ['http/guards.test.ts'],
  },
  {
    name: 'CSRF: the refresh cookie of a foreign page',
    file: 'http/csrf.ts',
    find: "  if (site !== 'same-site' && site !== 'cross-site') return true;\n",
    put: '  if (site !== headers.host) return true;\n',
    tests: ['features/sessions/refresh.test.ts'],
  },
  {
    name: 'a page acts for whom it shows',
    file: 'http/csrf.ts',
    find: 'shown === undefined || shown === user_id',
    put: 'shown === undefined || user_id !== undefined',
    tests: ['http/guards.test.ts'],
  },
  {
    name: 'a token of another organization than its session',
    file: 'http/guards.ts',
    find: ' || state.organization_id !== claims.org',
    put: '',
    tests: ['http/guards.test.ts'],
  },
  {
    name: 'organization filter: the one of the path is the one of the session',
    file: 'http/guards.ts',
    find: 'if (org_id?.toLowerCase() === session(request).organization_id) return;',
    put: 'if (org_id !== undefined) return;',
    tests: ['features/members/list.test.ts'],
  },
  {
    name: 'the permission of a role',
    file: 'http/guards.ts',
    find: 'if (!holds(role, permission)) throw',
    put: 'if (role === undefined) throw',
    tests: ['features/members/change-role.test.ts'],
  },
  {
    name: 'the platform role of an endpoint',
    file: 'http/guards.ts',
    find: 'if (!reaches(platform_role, role)) throw',
    put: 'if (platform_role === undefined) throw',
    tests: ['features/audit/list.test.ts'],
  },
  {
    name: 'somebody else by their id',
    file: 'http/guards.ts',
    find: "if (id?.toLowerCase() !== session(request).user_id) return platform('viewer')",
    put: "if (id === undefined) return platform('viewer')",
    tests: ['features/users/list.test.ts'],
  },
  {
    name: 'step-up ends after five minutes',
    file: 'http/guards.ts',
    find: 'mfa_verified_at && mfa_verified_at.getTime() >= oldest',
    put: 'mfa_verified_at && oldest > 0',
    tests: ['features/mfa/verify.test.ts'],
  },
  {
    name: 'the tier of an endpoint',
    file: 'http/guards.ts',
    find: "deps.config.TIER !== 'premium'",
    put: 'deps.config.TIER === undefined',
    tests: ['features/audit/export.test.ts'],
  },
  {
    name: 'a limit per address',
    file: 'http/guards.ts',
    find: 'if (!verdict.allowed) throw tooMany(verdict.retryAfter);',
    put: 'if (verdict === undefined) throw tooMany(1);',
    tests: ['http/guards.test.ts'],
  },
  {
    name: 'METRICS_TOKEN at /metrics',
    file: 'http/guards.ts',
    find: 'given === undefined || !equalBytes(hashToken(given), hashToken(METRICS_TOKEN))',
    put: 'given === undefined',
    tests: ['features/health/health.test.ts'],
  },
  {
    name: 'an address that a stranger claims in X-Forwarded-For',
    file: 'http/client-address.ts',
    find: '  if (!isProxy(socket)) return socket.toString();\n',
    put: '',
    tests: ['http/client-address.test.ts'],
  },
];

const MAILS: readonly Guard[] = [
  {
    name: 'names in mails: schemes are removed',
    file: 'domain/mail/templates/defang.ts',
    find: "text.replace(AUTHORITY, '').replace(SCHEME, '')",
    put: 'text',
    tests: ['domain/mail/templates/defang.test.ts'],
  },
  {
    name: 'names in mails: no dot, slash or @ joins an address',
    file: 'domain/mail/templates/defang.ts',
    find: '.replace(JOINT, `$&${ZERO_WIDTH_SPACE}`)',
    put: '.replace(JOINT, `$&`)',
    tests: ['domain/mail/templates/defang.test.ts'],
  },
  {
    name: 'a change of the mail transport is told over the earlier one',
    file: 'domain/mail/attempt.ts',
    find: 'via ? outlets.bound(via) : outlets.current()',
    put: 'via && !outlets.bound ? undefined : outlets.current()',
    tests: ['features/integrations/transport-notice.test.ts'],
  },
  {
    name: 'a dead earlier transport takes no place from other mails',
    file: 'domain/mail/worker.ts',
    find: 'bound: { concurrency: 1 }',
    put: 'bound: { concurrency: 4 }',
    tests: ['domain/mail/worker.test.ts'],
  },
  {
    name: 'platform owners are told of a platform role',
    file: 'domain/accounts/platform-role.ts',
    find: 'if (role !== null) await tellOfRole(',
    put: 'if (role === undefined) await tellOfRole(',
    tests: ['domain/accounts/platform-role.test.ts'],
  },
  {
    name: 'an invitation by a sender whose email is not verified',
    file: 'features/invitations/letter.ts',
    find: 'inviter_unverified: inviter.email_verified_at === null',
    put: 'inviter_unverified: false',
    tests: ['features/invitations/create.test.ts'],
  },
];

const TRAIL: readonly Guard[] = [
  {
    name: 'audit trail: a wrong password names nobody as actor',
    file: 'domain/sign-in/event.ts',
    find: "facts.metadata.reason === 'credentials' ? null : (account?.id ?? null)",
    put: 'account?.id ?? null',
    tests: ['domain/audit/actors.test.ts'],
  },
];

const TOKENS: readonly Guard[] = [
  {
    name: 'the signature of an access token',
    file: 'domain/sessions/access-token.ts',
    find: "if (!verify('RSA-SHA256', Buffer.from(`${header}.${payload}`), key.publicKey, bytes)) return undefined;",
    put: 'if (verify === undefined) return undefined;',
    tests: ['domain/sessions/access-token.test.ts'],
  },
  {
    name: 'typ: an access token and nothing else',
    file: 'domain/sessions/access-claims.ts',
    find: "typ: (value) => value === 'access',",
    put: 'typ: isText,',
    tests: ['domain/sessions/access-token.test.ts'],
  },
  {
    name: 'the issuer of an access token',
    file: 'domain/sessions/access-token.ts',
    find: '!read || read.claims.iss !== issuer',
    put: '!read',
    tests: ['domain/sessions/access-token.test.ts'],
  },
  {
    name: 'the end of an access token',
    file: 'domain/sessions/access-token.ts',
    find: '!(found.claims.exp > seconds(clock.now()))',
    put: '!(found.claims.exp > 0)',
    tests: ['domain/sessions/access-token.test.ts'],
  },
  {
    name: 'a key that has been withdrawn',
    file: 'domain/sessions/access-token.ts',
    find: ' || !keys.findByHeader(found.header)',
    put: '',
    tests: ['domain/sessions/access-token.test.ts'],
  },
  {
    name: 'the text of a known token, not its end alone',
    file: 'domain/sessions/access-token.ts',
    find: 'if (found?.token !== token) {',
    put: 'if (!found) {',
    tests: ['domain/sessions/access-token.test.ts'],
  },
  {
    name: 'jti: a refresh token is used once',
    file: 'domain/sessions/refresh/queries.ts',
    find: 'where s.id = ${sid}::uuid and s.refresh_jti = ${jti}::uuid and ${inForce(now)}',
    put: 'where s.id = ${sid}::uuid and ${jti}::uuid is not null and ${inForce(now)}',
    tests: ['features/sessions/refresh.test.ts'],
  },
  {
    name: 'a refresh token used twice ends its family',
    file: 'domain/sessions/refresh/rotate.ts',
    find: 'if (await revokeSession(tx, deps, { id: claims.sid }, now)) {',
    put: 'if (tx === undefined) {',
    tests: ['features/sessions/refresh.test.ts'],
  },
  {
    name: 'a family ends with its user, organization and seat',
    file: 'domain/sessions/refresh/queries.ts',
    find: "and u.id = s.user_id and u.status = 'active' and o.id = s.organization_id and o.suspended_at is null",
    put: 'and u.id = s.user_id and o.id = s.organization_id',
    tests: ['features/sessions/refresh.test.ts'],
  },
];

const SESSIONS: readonly Guard[] = [
  {
    name: 'the end of a refresh or MFA token',
    file: 'domain/sessions/private-token.ts',
    find: 'claims.typ === typ && claims.exp > now ?',
    put: 'claims.typ === typ ?',
    tests: ['features/sessions/refresh.test.ts', 'features/mfa/challenge.test.ts'],
  },
  {
    name: 'refresh and MFA tokens have keys of their own',
    file: 'domain/sessions/private-token.ts',
    find: '  if (!equalBytes(Buffer.from(expected), Buffer.from(signature))) return undefined;\n',
    put: '  if (expected.length === 0) return undefined;\n',
    tests: ['features/sessions/refresh.test.ts', 'features/mfa/challenge.test.ts'],
  },
  {
    name: 'a session that is remembered and has ended',
    file: 'domain/sessions/state.ts',
    find: '      loading.delete(sid);\n      states.delete(sid);\n',
    put: '      loading.delete(sid);\n',
    tests: ['features/sessions/sessions.test.ts', 'domain/sessions/state.test.ts'],
  },
  {
    name: 'what is remembered counts only while news arrive',
    file: 'domain/sessions/state.ts',
    find: 'const kept = bus.isFresh() ? states.get(sid) : undefined;',
    put: 'const kept = states.get(sid);',
    tests: ['domain/sessions/state.test.ts'],
  },
];

const SIGN_IN: readonly Guard[] = [
  {
    name: 'a second factor is asked for',
    file: 'domain/sign-in/complete.ts',
    find: '!isTrusted(account, proof)) {',
    put: 'account.id === proof.method) {',
    tests: ['features/mfa/challenge.test.ts'],
  },
  {
    name: 'a second factor that was turned on meanwhile',
    file: 'domain/sign-in/queries.ts',
    find: 'and (u.mfa_enabled_at is null or ${admission.mfa_settled}::bool or exists (select from trust))',
    put: 'and (${admission.mfa_settled}::bool is not null or exists (select from trust))',
    tests: ['features/oauth/meanwhile.test.ts', 'features/password/login.test.ts'],
  },
  {
    name: 'a password that was changed meanwhile',
    file: 'domain/sign-in/queries.ts',
    find: 'and (${admission.checked_hash}::text is null or u.password_hash = ${admission.checked_hash}::text)',
    put: 'and (${admission.checked_hash}::text is null or true)',
    tests: ['features/password/login.test.ts', 'features/password/reset.test.ts'],
  },
  {
    name: 'guesses at a password are counted',
    file: 'platform/limiter/queries.ts',
    find: 'and count >= ${quota.count}::int)`',
    put: 'and count < 0 and ${quota.count}::int > 0)`',
    tests: ['features/password/login.test.ts'],
  },
  {
    name: 'the same work for an address without an account',
    file: 'domain/accounts/passwords.ts',
    find: 'for (const decoy of stillToPay(decoys(), paid)) await matches(decoy.stored, password);',
    put: '',
    tests: ['domain/accounts/passwords.test.ts'],
  },
  {
    name: 'attempt cap: five guesses at an emailed code',
    file: 'features/email-otp/queries.ts',
    find: "    .where('attempts', '<', LIMITS.emailCode.attempts)\n",
    put: '',
    tests: ['features/email-otp/attempts.test.ts'],
  },
  {
    name: 'an emailed code is used once',
    file: 'features/email-otp/queries.ts',
    find: '  delete from one_time_tokens\n  where',
    put: '  update one_time_tokens set attempts = attempts\n  where',
    tests: ['features/email-otp/verify.test.ts'],
  },
  {
    name: 'an emailed code ends after ten minutes',
    file: 'features/email-otp/queries.ts',
    find: "    .where('expires_at', '>', now)\n",
    put: '',
    tests: ['features/email-otp/verify.test.ts'],
  },
  {
    name: 'attempt cap: five guesses at a second factor',
    file: 'features/mfa/queries.ts',
    find: 'where jti = ${wrong.jti}::uuid and burned_at is null and attempts < ${most}::int',
    put: 'where jti = ${wrong.jti}::uuid and burned_at is null',
    tests: ['features/mfa/challenge.test.ts'],
  },
  {
    name: 'step claim: a TOTP code is used once',
    file: 'features/mfa/queries.ts',
    find: ' and not (${step}::int = any (used_steps))',
    put: ' and ${step}::int is not null',
    tests: ['features/mfa/verify.test.ts'],
  },
  {
    name: 'a recovery code is used once',
    file: 'features/mfa/queries.ts',
    find: 'and code_hash = ${factor.code_hash}::bytea and used_at is null\n        and exists',
    put: 'and code_hash = ${factor.code_hash}::bytea\n        and exists',
    tests: ['features/mfa/verify.test.ts'],
  },
  {
    name: 'half a sign-in is finished once',
    file: 'features/mfa/queries.ts',
    find: 'and user_id = (select id from holder) and burned_at is null',
    put: 'and user_id = (select id from holder)',
    tests: ['features/mfa/challenge.test.ts'],
  },
  {
    name: 'a mailed link is used once',
    file: 'domain/one-time/queries.ts',
    find: "    .deleteFrom('one_time_tokens')\n    .where('kind', '=', kind)",
    put: "    .updateTable('one_time_tokens')\n    .set({ attempts: 0 })\n    .where('kind', '=', kind)",
    tests: ['features/password/reset.test.ts'],
  },
  {
    name: 'state binding: the flow belongs to this browser',
    file: 'features/oauth/flow.ts',
    find: '  decipher.setAAD(Buffer.from(browser));\n',
    put: '  decipher.setAAD(Buffer.from(browser));\n  decipher.final = () => Buffer.alloc(0);\n',
    tests: ['features/oauth/flow.test.ts'],
  },
  {
    name: 'a flow comes back once',
    file: 'features/oauth/callback.ts',
    find: "if (!unused) throw new Failed('invalid_state');",
    put: "if (unused === undefined) throw new Failed('invalid_state');",
    tests: ['features/oauth/flow.test.ts'],
  },
  {
    name: 'mix-up: a flow of another provider',
    file: 'features/oauth/callback.ts',
    find: '  return flow.provider === provider;\n',
    put: '  return flow.provider !== undefined;\n',
    tests: ['features/oauth/flow.test.ts'],
  },
  {
    name: 'a redirect to another site',
    file: 'features/oauth/redirect.ts',
    find: ' && REDIRECT_ORIGINS.includes(url.origin) ?',
    put: ' ?',
    tests: ['features/oauth/redirect.test.ts'],
  },
  {
    name: 'a passkey challenge comes back once',
    file: 'features/passkeys/complete-login.ts',
    find: "if (!unused || challenge.kind !== 'login') return 'challenge';",
    put: "if (challenge.kind !== 'login') return 'challenge';",
    tests: ['features/passkeys/login-refusals.test.ts'],
  },
  {
    name: 'the purpose of a passkey challenge',
    file: 'features/passkeys/complete-login.ts',
    find: "if (!unused || challenge.kind !== 'login') return 'challenge';",
    put: "if (!unused) return 'challenge';",
    tests: ['features/passkeys/login-refusals.test.ts'],
  },
  {
    name: 'a passkey that counts backwards',
    file: 'features/passkeys/complete-login.ts',
    find: "if (!counts(passkey.sign_count, assertion.sign_count)) return 'counter';",
    put: '',
    tests: ['features/passkeys/login-refusals.test.ts'],
  },
  {
    name: 'a passkey without its owner being recognized',
    file: 'features/passkeys/verify.ts',
    find: 'requireUserVerification: true',
    put: 'requireUserVerification: false',
    tests: ['features/passkeys/login-refusals.test.ts'],
  },
  {
    name: 'a way in that an open browser adds',
    file: 'domain/access/fresh-auth.ts',
    find: '  requireRecentAuth(deps, session, owner, FRESH_AUTH_WINDOW);\n',
    put: '',
    tests: ['features/mfa/takeover.test.ts', 'features/passkeys/registration.test.ts'],
  },
];

const FLOODS: readonly Guard[] = [
  {
    name: 'the feed by cursor: a transaction that was open when the cursor was made',
    file: 'domain/sessions/feed/cursor.ts',
    find: ' || (xid < xmax && !active.has(xid))',
    put: ' || xid < xmax',
    tests: ['domain/sessions/feed'],
  },
  {
    name: 'the feed: a made-up cursor that would be kept as the cursor of others',
    file: 'domain/sessions/feed/cursor.ts',
    find: ' || active.length > MAX_ACTIVE',
    put: '',
    tests: ['domain/sessions/feed'],
  },
  {
    name: 'the feed: entries that come twice after a first read of many pages',
    file: 'domain/sessions/feed/feed.ts',
    find: '!before.ahead.has(sid)',
    put: 'sid !== undefined',
    tests: ['domain/sessions/feed'],
  },
  {
    name: 'an invitation: a credential that someone else has added',
    file: 'features/invitations/join-as.ts',
    find: " || unproven.some((kind) => kind !== 'password')",
    put: '',
    tests: ['features/invitations/accept-unverified.test.ts'],
  },
  {
    name: 'a day of wrong codes at step-up',
    file: 'features/mfa/verify.ts',
    find: 'counters: [stepUpDayCounter(deps, user_id)]',
    put: 'counters: []',
    tests: ['features/mfa/guesser.test.ts'],
  },
  {
    name: 'probes that would keep the feed from its connection',
    file: 'features/health/readiness.ts',
    find: '  if (known) return known;\n',
    put: '',
    tests: ['features/health'],
  },
  {
    name: 'notices of a role that were used up by another one',
    file: 'domain/one-time/mail-limit.ts',
    find: 'about ? `${email} ${about}` : email',
    put: 'email',
    tests: ['domain/accounts/platform-role.test.ts'],
  },
  {
    name: 'the feed: rows of transactions that were open at the read before',
    file: 'domain/sessions/feed/queries.ts',
    find: 'xid >= pg_snapshot_xmin(${seen}::pg_snapshot) and',
    put: 'xid >= pg_snapshot_xmax(${seen}::pg_snapshot) and',
    tests: ['domain/sessions/feed'],
  },
  {
    name: 'the feed: a cursor of another database, or of before a failover',
    file: 'domain/sessions/feed/feed.ts',
    find: '    if (!cursor || !isOf(current, cursor)) return render(current, undefined);\n',
    put: '    if (!cursor) return render(current, undefined);\n',
    tests: ['domain/sessions/feed'],
  },
  {
    name: 'the feed: a cursor of a time that has not come',
    file: 'domain/sessions/feed/feed.ts',
    find: 'isOf(current, cursor) && !isAhead(cursor, current) ? cursor : undefined',
    put: 'isOf(current, cursor) ? cursor : undefined',
    tests: ['domain/sessions/feed'],
  },
  {
    name: 'overload: what verifiers and balancers ask for is answered',
    file: 'http/server.ts',
    find: 'load.overloaded(inFlight) && !isNeverShed(request.url)',
    put: 'load.overloaded(inFlight)',
    tests: ['http/server.test.ts'],
  },
  {
    name: 'the own organization named: nothing is revoked',
    file: 'features/sessions/routes.ts',
    find: 'return organization_id === session.organization_id\n',
    put: "return organization_id === ''\n",
    tests: ['features/sessions/switch-organization.test.ts'],
  },
  {
    name: 'a session that has ended gets no fresh access token',
    file: 'domain/sessions/refresh/queries.ts',
    find: `    where s.id = \${sid}::uuid and \${inForce(now)}
    returning s.id`,
    put: `    where s.id = \${sid}::uuid and u.id = s.user_id and o.id = s.organization_id
      and m.organization_id = s.organization_id and m.user_id = s.user_id
    returning s.id`,
    tests: ['features/sessions/switch-organization.test.ts'],
  },
  {
    name: 'switches of organization are counted',
    file: 'features/sessions/switch-organization.ts',
    find: '    if (count && isOver([counter], count)) throw tooMany(secondsUntil(count.resets_at, now));\n',
    put: '',
    tests: ['features/sessions/switch-organization.test.ts'],
  },
];

const PEOPLE: readonly Guard[] = [
  {
    name: 'organization filter: invitations of another one',
    file: 'features/invitations/queries.ts',
    find: "db.selectFrom('invitations as i').where('i.organization_id', '=', organization_id);",
    put: "db.selectFrom('invitations as i').where('i.organization_id', '<>', '00000000-0000-0000-0000-000000000000').where((eb) => eb.val(organization_id !== ''));",
    tests: ['features/invitations/resend-revoke.test.ts', 'features/invitations/create.test.ts'],
  },
  {
    name: 'a disabled account, at the door',
    file: 'domain/sign-in/queries.ts',
    find: "where u.id = ${s.user_id}::uuid and u.status = 'active'\n        and (u.mfa",
    put: 'where u.id = ${s.user_id}::uuid\n        and (u.mfa',
    tests: [
      'features/users/change-status.test.ts',
      'features/password/login.test.ts',
      'features/oauth/meanwhile.test.ts',
    ],
  },
  {
    name: 'last owner: one stays',
    file: 'features/members/owners.ts',
    find: '(await countOtherOwners(tx, seat)) === 0',
    put: '(await countOtherOwners(tx, seat)) < 0',
    tests: ['features/members/change-role.test.ts'],
  },
  {
    name: 'nobody administers a higher rank',
    file: 'domain/access/administer.ts',
    find: 'user.platform_role !== null && !reaches(caller.platform_role, user.platform_role)',
    put: 'user.platform_role !== null && caller === undefined',
    tests: ['features/mfa/manage.test.ts'],
  },
  {
    name: 'an administrator who was demoted a moment ago',
    file: 'domain/access/administer.ts',
    find: "  if (!reaches(caller.platform_role, role)) throw new ServiceError('forbidden', `this needs the platform role ${role}`);\n",
    put: '',
    tests: ['domain/access/administer.test.ts'],
  },
  {
    name: 'an invitation is accepted once',
    file: 'features/invitations/queries.ts',
    find: "    .where('token_hash', '=', token_hash)\n    .where('closed_at', 'is', null)",
    put: "    .where('token_hash', '=', token_hash)",
    tests: ['features/invitations/accept.test.ts'],
  },
  {
    name: 'an invitation of somebody who may invite no more',
    file: 'features/invitations/open.ts',
    find: "inviter_role === null || !holds(inviter_role, 'members.invite') || !ranksWith(inviter_role, role)",
    put: 'inviter_role === undefined',
    tests: ['features/invitations/accept.test.ts'],
  },
  {
    name: 'registration that is closed',
    file: 'http/guards.ts',
    find: "deps.config.REGISTRATION === 'closed'",
    put: 'deps.config.REGISTRATION === undefined',
    tests: ['features/register/register.test.ts'],
  },
];

const GUESSING: readonly Guard[] = [
  {
    name: 'a client address that has failed too often: passwords',
    file: 'features/password/login.ts',
    find: 'limits.full_until ?? limits.address_full_until',
    put: 'limits.full_until',
    tests: ['domain/limits/failed-attempts.test.ts'],
  },
  {
    name: 'a client address that has failed too often: emailed codes',
    file: 'features/email-otp/verify.ts',
    find: '  if (address_full_until) throw badCredentials();\n',
    put: '',
    tests: ['domain/limits/failed-attempts.test.ts'],
  },
  {
    name: 'a client address that has failed too often: passkeys',
    file: 'features/passkeys/complete-login.ts',
    find: 'if (address_full_until) {',
    put: 'if (address_full_until && !passkey) {',
    tests: ['domain/limits/failed-attempts.test.ts'],
  },
  {
    name: 'a client address that has failed too often: mailed links',
    file: 'domain/limits/failed-attempts.ts',
    find: 'if (full_until === null) return',
    put: 'if (full_until !== undefined) return',
    tests: ['domain/limits/failed-attempts.test.ts'],
  },
  {
    name: 'failed sign-ins count for the client address',
    file: 'domain/sign-in/event.ts',
    find: 'alarmsOf(deps, caller, failureCounters(deps, caller))',
    put: 'alarmsOf(deps, caller, [])',
    tests: ['domain/limits/failed-attempts.test.ts'],
  },
  {
    name: 'a trust cookie of another account passes no limit',
    file: 'domain/sign-in/queries.ts',
    find: 'account?.trusted ? null : address_full_until',
    put: 'trust_hash ? null : address_full_until',
    tests: ['domain/limits/failed-attempts.test.ts'],
  },
  {
    name: 'IPv6 clients that move within their /48',
    file: 'domain/limits/address-counters.ts',
    find: 'wider_network === null',
    put: 'wider_network !== undefined',
    tests: ['domain/limits/failed-attempts.test.ts'],
  },
  {
    name: 'one audit row for each period of a limited address',
    file: 'platform/limiter/queries.ts',
    find: 'and count = ${quota.count}::int) as filled',
    put: 'and count >= ${quota.count}::int) as filled',
    tests: ['domain/limits/failed-attempts.test.ts', 'features/mfa/guesser.test.ts'],
  },
  {
    name: 'wrong codes of an app in a day',
    file: 'features/mfa/challenge.ts',
    find: ', totpDayCounter(deps, user_id)]',
    put: ']',
    tests: ['features/mfa/guesser.test.ts'],
  },
  {
    name: 'the owner is told of guesses at the second factor',
    file: 'features/mfa/queries.ts',
    find: 'mailAlong(mail, filledBy(counter, sql`counted`))',
    put: 'mailAlong(mail, sql`(select where false) as never`)',
    tests: ['features/mfa/guesser.test.ts'],
  },
  {
    name: 'the number of passkeys tells nothing',
    file: 'features/passkeys/begin-login.ts',
    find: 'findCredentialsByEmail(db, email, MAX_DECOYS)',
    put: 'findCredentialsByEmail(db, email, 50)',
    tests: ['features/passkeys/begin-login.test.ts'],
  },
  {
    name: 'third-party sign-in while registration is closed tells nobody',
    file: 'features/oauth/sign-in.ts',
    find: " && !external.email_verified) throw new Failed('registration_closed')",
    put: " && external.email === '') throw new Failed('registration_closed')",
    tests: ['features/oauth/sign-in.test.ts'],
  },
  {
    name: 'an answer at a fixed time',
    file: 'platform/fixed-time.ts',
    find: 'await end();',
    put: 'void end();',
    tests: ['platform/fixed-time.test.ts'],
  },
];

const TRANSFER: readonly Guard[] = [
  {
    name: 'import: a file that changes after it was checked',
    file: 'domain/transfer/check-files.ts',
    find: "    if (hash.update(block).copy().digest('hex') !== prefixes[blocks++]) throw changed();\n",
    put: '    blocks++;\n',
    tests: ['domain/transfer/check-files.test.ts', 'domain/transfer/resume.test.ts'],
  },
];

const RECLAIM = 'features/reclaim';
const MAILBOX: readonly Guard[] = [
  {
    name: 'reclaim: only for a session that began with an emailed code',
    file: 'http/guards.ts',
    find: "first_factor === 'email_otp' && auth_time >=",
    put: 'auth_time >=',
    tests: [`${RECLAIM}/reclaim.test.ts`],
  },
  {
    name: 'reclaim: only within 15 minutes of the sign-in',
    file: 'http/guards.ts',
    find: " && auth_time >= after(clock.now(), -FRESH_AUTH_WINDOW)) return;\n    throw forbidden('sign in with a new emailed code first')",
    put: ") return;\n    throw forbidden('sign in with a new emailed code first')",
    tests: [`${RECLAIM}/reclaim.test.ts`],
  },
  {
    name: 'everything unproven: the sessions of others',
    file: 'domain/accounts/remove-unproven.ts',
    find: 'const sessions = await revokeUserSessions(tx, deps, { user_id, except, now });',
    put: 'const sessions = 0 * Number(except);',
    tests: [`${RECLAIM}/disown.test.ts`],
  },
  {
    name: 'everything unproven: the second factor',
    file: 'domain/accounts/remove-unproven.ts',
    find: '  if (!removal.keepSecondFactor) await deleteMfa(tx, user_id, now);\n',
    put: '',
    tests: [`${RECLAIM}/disown.test.ts`],
  },
  {
    name: 'everything unproven: invitations',
    file: 'domain/accounts/remove-unproven.ts',
    find: '  await voidInvitationsFrom(tx, user_id, now);\n',
    put: '',
    tests: [`${RECLAIM}/reclaim.test.ts`],
  },
  {
    name: 'nothing is removed from a verified account',
    file: 'domain/accounts/verified-email.ts',
    find: '  if (user.was_verified) return true;\n',
    put: '',
    tests: [`${RECLAIM}/disown.test.ts`],
  },
  {
    name: 'the initial owner gets a clean account',
    file: 'domain/accounts/verified-email.ts',
    find: 'if (disown || mustBeClean)',
    put: 'if (disown)',
    tests: [`${RECLAIM}/initial-owner.test.ts`],
  },
  {
    name: 'the initial owner gets a clean account by a reset',
    file: 'features/password/reset.ts',
    find: 'disown || (isInitialOwner && isOwnerStrict(deps.config))',
    put: 'disown || (isInitialOwner && disown)',
    tests: [`${RECLAIM}/initial-owner.test.ts`],
  },
  {
    name: 'a first password of a session that has just ended',
    file: 'features/users/change-password.ts',
    find: '    const current = await readAuth(tx, session, now);\n    requireSecondFactor(current.session, current.owner);\n',
    put: '',
    tests: [`${RECLAIM}/late.test.ts`],
  },
  {
    name: 'a change of email of a session that has just ended',
    file: 'features/email-verification/change.ts',
    find: '    const current = await readAuth(tx, session, now);\n    requireSecondFactor(current.session, current.owner);\n',
    put: '',
    tests: [`${RECLAIM}/late.test.ts`],
  },
  {
    name: 'an invitation of a session that has just ended',
    file: 'features/invitations/create.ts',
    find: '    await requireLiveSession(tx, session, now);\n',
    put: '',
    tests: [`${RECLAIM}/late.test.ts`],
  },
  {
    name: 'a passkey ceremony that began before the email was verified',
    file: 'features/passkeys/complete-registration.ts',
    find: '    if (isUnproven && user.email_verified_at !== null) throw beginAgain();\n',
    put: '',
    tests: [`${RECLAIM}/late.test.ts`],
  },
  {
    name: 'an unproven credential is shown by its id, not by its kind',
    file: 'domain/accounts/queries.ts',
    find: 'hasPasskey(sql`p.id::text <> all (s.own_credentials)`)',
    put: "hasPasskey(sql`s.own_credentials = '{}'`)",
    tests: [`${RECLAIM}/unproven.test.ts`],
  },
];

export const GUARDS: readonly Guard[] = [
  ...REQUESTS,
  ...MAILS,
  ...TRAIL,
  ...TOKENS,
  ...SESSIONS,
  ...SIGN_IN,
  ...FLOODS,
  ...ASSURANCE,
  ...GUESSING,
  ...PEOPLE,
  ...MAILBOX,
  ...TRANSFER,
];

/** The text of its file with the guard switched off. */
export function without({ name, file, find, put }: Guard, text: string): string {
  const [before, after, more] = text.split(find);
  if (before === undefined || after === undefined || more !== undefined) {
    throw new Error(`${name}: ${file} has changed, and what is to be switched off is not in it once`);
  }
  return before + put + after;
}
