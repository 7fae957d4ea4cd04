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
  { name: /^none$/, words: () => 'Open to anyone', errors: [] },
  {
    name: /^metrics token$/,
    words: () => 'When METRICS_TOKEN is set, that token as a Bearer token',
    errors: ['authentication_required'],
  },
  {
    name: /^cookie\/Bearer$/,
    words: () => 'A signed-in session, by Bearer token or cookie',
    errors: ['authentication_required'],
  },
  { name: /^registration open$/, words: () => 'Registration is not closed', errors: ['forbidden'] },
  {
    name: /^optional$/,
    words: () => 'A session, by Bearer token or cookie, when there is one',
    errors: [],
  },
  {
    name: /^refresh cookie$/,
    words: () => 'The refresh cookie, from a page of the service or of an origin in CORS_ORIGINS',
    errors: ['authentication_required', 'csrf_failed'],
  },
  {
    name: /^limited (.+)$/,
    words: (kind) => `Limited number of requests per client address (${kind})`,
    errors: ['rate_limited'],
  },
  { name: /^entitled (.+)$/, words: (name) => `The ${name} entitlement`, errors: ['payment_required'] },
  {
    name: /^platform (.+) or self$/,
    words: (role) => `Platform role \`${role}\` or higher, or to be the user of the path`,
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
      `Fresh proof: a sign-in or second factor in the last ${FRESH_AUTH_WINDOW / 60} minutes and, with MFA on, an \`aal2\` session`,
    errors: ['mfa_required'],
  },
  { name: /^second factor given$/, words: () => 'With MFA on, an `aal2` session', errors: ['mfa_required'] },
  {
    name: /^MFA step-up$/,
    words: () => `A second factor verified in the last ${LIMITS.stepUpWindow / 60} minutes`,
    errors: ['mfa_required'],
  },
  {
    name: PERMISSION,
    words: (permission) =>
      `The permission \`${permission}\` in the organization of the path, which is the session's own`,
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
