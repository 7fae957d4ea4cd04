import { type ErrorCode, LIMITS } from '@gatehouse/contract';
import { FRESH_AUTH_WINDOW } from '../domain/access/fresh-auth.ts';
import { type Guard, optionalSession, refreshCookie, signedIn } from './guards.ts';

/** A guard that is named after a permission. */
const PERMISSION = /^([a-z_]+\.[a-z_]+)$/;

interface Rule {
  readonly name: RegExp;
  readonly words: (subject: string) => string;
  readonly errors: readonly ErrorCode[];
}

/** What each guard asks for, in words, and how it refuses; by the guard's name, first match. */
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
    errors: ['authentication_required'],
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
    errors: ['forbidden'],
  },
  {
    name: /^platform (.+)$/,
    words: (role) => `Platform role \`${role}\`${role === 'owner' ? '' : ' or higher'}`,
    errors: ['forbidden'],
  },
  {
    name: /^fresh proof$/,
    words: () =>
      `Recent authentication: a sign-in or second factor within the last ${FRESH_AUTH_WINDOW / 60} minutes and, with MFA enabled, an \`aal2\` session`,
    errors: ['mfa_required'],
  },
  { name: /^second factor given$/, words: () => 'With MFA enabled, an `aal2` session', errors: ['mfa_required'] },
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

const ruleOf = ({ name }: Guard): Rule | undefined => RULES.find((rule) => rule.name.test(name));

/** A guard that no rule knows speaks for itself; how it refuses must then stand in the route's own `errors`. */
export const accessInWords = (access: readonly Guard[]): string[] =>
  access.map((guard) => ruleOf(guard)?.words(ruleOf(guard)?.name.exec(guard.name)?.[1] ?? '') ?? guard.name);

export const accessErrors = (access: readonly Guard[]): ErrorCode[] =>
  access.flatMap((guard) => ruleOf(guard)?.errors ?? []);

const asks = (access: readonly Guard[], guard: Guard): boolean => access.some(({ name }) => name === guard.name);

/** A cookie may be looked at, so a write needs the CSRF header. */
export const takesSession = (access: readonly Guard[]): boolean =>
  access.some(({ admits = [] }) => admits.includes('user'));

/** The organization of the path is compared with the session's: any other is 403, also one that cannot be. */
export const comparesOrganization = (access: readonly Guard[]): boolean =>
  access.some(({ name }) => PERMISSION.test(name));

type Requirement = Readonly<Record<string, readonly string[]>>;

/** One of these is needed; `{}` is none at all. */
export function securityOf(access: readonly Guard[]): Requirement[] {
  if (asks(access, refreshCookie)) return [{ refresh: [] }];
  if (asks(access, optionalSession)) return [{ bearer: [] }, { cookie: [] }, {}];
  return asks(access, signedIn) ? [{ bearer: [] }, { cookie: [] }] : [];
}
