import { type ErrorCode, LIMITS } from '@gatehouse/contract';
import { FRESH_AUTH_WINDOW } from '../domain/authorization/fresh-auth.ts';
import type { CallerKind } from '../domain/kernel/principal.ts';
import { guardsOf } from './admission.ts';
import type { Guard, Route } from './route.ts';

/** The name of a guard that is a permission. */
const PERMISSION = /^([a-z_]+\.[a-z_]+)$/;

interface Rule {
  readonly name: RegExp;
  readonly words: (subject: string) => string;
  readonly errors: readonly ErrorCode[];
}

/** The requirement of each guard in words, and its errors; by the guard's name, first match. */
const RULES: readonly Rule[] = [
  { name: /^none$/, words: () => 'No authentication', errors: [] },
  {
    name: /^metrics token$/,
    words: () => 'The METRICS_TOKEN as a Bearer token, if it is set',
    errors: ['authentication_required'],
  },
  {
    name: /^cookie\/Bearer$/,
    words: () => 'A session, by Bearer token or cookie',
    // `forbidden`: the session is restricted, or its organization does not allow the network of the client.
    errors: ['authentication_required', 'forbidden'],
  },
  { name: /^registration open$/, words: () => 'Open registration (`REGISTRATION`)', errors: ['forbidden'] },
  {
    name: /^optional$/,
    words: () => 'Optional: a session, by Bearer token or cookie',
    errors: [],
  },
  {
    name: /^refresh cookie$/,
    words: () => 'The refresh cookie, sent from a page of the service or of an origin in CORS_ORIGINS',
    errors: ['authentication_required', 'csrf_failed'],
  },
  {
    name: /^limited (.+)$/,
    words: (kind) => `Rate limit per client address (${kind})`,
    errors: ['rate_limited'],
  },
  { name: /^entitled (.+)$/, words: (name) => `The ${name} entitlement`, errors: ['payment_required'] },
  {
    name: /^platform (.+) or self$/,
    words: (role) => `Platform role \`${role}\` or higher, or the user in the path`,
    errors: ['forbidden', 'mfa_required'],
  },
  {
    name: /^platform (.+)$/,
    words: (role) => `Platform role \`${role}\`${role === 'owner' ? '' : ' or higher'}`,
    // `mfa_required`: with PLATFORM_REQUIRE_MFA.
    errors: ['forbidden', 'mfa_required'],
  },
  {
    name: /^fresh proof$/,
    words: () =>
      `Recent authentication: a sign-in or second factor within the last ${FRESH_AUTH_WINDOW / 60} minutes and, with MFA enabled, an \`aal2\` session`,
    errors: ['mfa_required'],
  },
  {
    name: /^second factor given$/,
    words: () => 'With MFA enabled, an `aal2` session; without a password, a recent sign-in or second factor',
    errors: ['mfa_required'],
  },
  {
    name: /^MFA step-up$/,
    words: () => `A second factor verified within the last ${LIMITS.stepUpWindow / 60} minutes`,
    errors: ['mfa_required'],
  },
  {
    name: PERMISSION,
    words: (permission) =>
      `The permission \`${permission}\` in the organization in the path, which must be the session's`,
    errors: ['forbidden'],
  },
];

const isAdmission = ({ name }: Guard): boolean => name === 'cookie/Bearer';

const ruleOf = ({ name }: Guard): Rule | undefined => RULES.find((rule) => rule.name.test(name));

type Access = Pick<Route, 'limit' | 'admits' | 'access'>;

const admitsKind = ({ admits }: Access, kind: CallerKind): boolean => (admits as readonly CallerKind[]).includes(kind);

/** A guard without a rule is listed by its name; its errors must be in the route's own `errors`. */
export const accessInWords = (route: Access): string[] =>
  guardsOf(route).map((guard) => {
    const words = ruleOf(guard)?.words(ruleOf(guard)?.name.exec(guard.name)?.[1] ?? '') ?? guard.name;
    return isAdmission(guard) && admitsKind(route, 'machine')
      ? `${words}; or an API key, or an access token issued for one`
      : words;
  });

/** A credential that is valid, but of a kind that the route does not admit, is rejected with `forbidden`. */
export const accessErrors = (route: Access): ErrorCode[] =>
  guardsOf(route).flatMap((guard): readonly ErrorCode[] => [
    ...(ruleOf(guard)?.errors ?? []),
    ...(guard.name === 'optional' && !admitsKind(route, 'restricted') ? (['forbidden'] as const) : []),
  ]);

/** Whether a cookie may authenticate, so that a write needs the CSRF header. */
export const takesSession = (route: Access): boolean => admitsKind(route, 'session');

/** Whether the organization of the path must be the session's: any other value, even a malformed one, is 403. */
export const comparesOrganization = ({ access = [] }: Access): boolean =>
  access.some(({ name }) => PERMISSION.test(name));

type Requirement = Readonly<Record<string, readonly string[]>>;

/** The alternative security requirements of a route; `{}` means no authentication. */
export function securityOf(route: Access): Requirement[] {
  if (admitsKind(route, 'refresh')) return [{ refresh: [] }];
  if (!takesSession(route)) return [];
  return [{ bearer: [] }, { cookie: [] }, ...(admitsKind(route, 'anonymous') ? [{}] : [])];
}
