import { ACCESS_TABLE, type AccessRow, CALLERS, type Cell } from './access-table.ts';

const INTRODUCTION = `# Who may do what

Every endpoint times ten kinds of caller. This page is made from \`packages/server/test/access-table.ts\`. A test asks every endpoint
as each of the ten, by Bearer token and by cookie, and compares the status and the code of each answer.

- \`member\`, \`admin\` and \`owner\` belong to the organization of the path; the others to organizations of their own, which they own.
  \`verified\` is somebody who gave a second factor in the last five minutes.
- **yes**: they get past all checks of who they are. What they asked for may still be wrong or not there.
- **–**: 401 \`authentication_required\`. **no**: 403 \`forbidden\`. **mfa**: 401 \`mfa_required\`, until they give a second factor.
  **409**: they may, but it would leave nobody in charge.
- \`@new\` is an address nobody has, \`@home\` the organization of the path.

What holds for all of them:

- A write by cookie without the CSRF header is 403 \`csrf_failed\` before anything else. Endpoints that are open to anybody do not look at
  cookies, so they ask for none; \`/auth/logout\` and \`/auth/invitations/accept\` ask when the cookie is of a session that lives.
- Another organization in the path is 403 for everybody, platform roles included, whether or not it exists and also when they
  belong to it: the session is of one organization.
- The session of a disabled or deleted user, of a removed member or of a suspended organization, or one that has expired or was
  revoked, opens nothing: 401.
- \`/admin/audit-export\` is shown for \`TIER=premium\`. On \`free\` it is 402 \`payment_required\` for everybody who is signed in.
- \`/auth/reclaim\` needs a session that began with an emailed code in the last 15 minutes, which none of the ten has.
- \`/auth/refresh\` takes the refresh cookie and nothing else. \`/dev/mail\` is not there in production.
`;

const WORDS: Readonly<Partial<Record<Cell, string>>> = { 401: '–', 402: '402', 403: 'no', 409: '409', mfa: 'mfa' };

/** Whose id stands in the path. */
const WHOSE: Readonly<Record<string, string>> = {
  self: 'one’s own',
  member: 'of that member',
  owner: 'of the last owner',
  elsewhere: 'of somebody elsewhere',
  'platform-owner': 'of the last platform owner',
};

function endpoint({ route, path, body }: AccessRow): string {
  const whose = /=([a-z-]+)/.exec(path)?.[1];
  return [`\`${route}\``, whose && WHOSE[whose], body && body !== '[]' && `\`${body}\``].filter(Boolean).join(' ');
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const tableOf = (rows: readonly AccessRow[]): string =>
  [
    line(['endpoint', ...CALLERS]),
    line(['---', ...CALLERS.map(() => '---')]),
    ...rows.map((row) => line([endpoint(row), ...row.cells.map((cell) => WORDS[cell] ?? 'yes')])),
  ].join('\n');

/** docs/access.md: the access table for people. */
export function renderAccess(): string {
  const groups = [...new Set(ACCESS_TABLE.map(({ group }) => group))];
  const sections = groups.map(
    (group) => `## ${group}\n\n${tableOf(ACCESS_TABLE.filter((row) => row.group === group))}\n`,
  );
  return [INTRODUCTION, ...sections].join('\n');
}
