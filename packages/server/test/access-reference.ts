import { ACCESS_TABLE, type AccessRow, CALLERS, type Cell, KINDS } from './access-table.ts';

const INTRODUCTION = `# Who may do what

This page lists every endpoint and the result for ten callers, for an API key and for three kinds of session of an
owner. It is generated from \`packages/server/test/access-table.ts\`. A test calls every endpoint as each of them with a
Bearer token, and as some of them with cookies, and compares the status and the error code of each response.

- \`member\`, \`admin\` and \`owner\` are members of the organization in the path. The other signed-in callers each own
  another organization. \`verified\` means that the caller verified a second factor within the last five minutes.
- \`API key\` is a key of the organization in the path, with every permission that a role can have.
- The last three are an owner of the organization in the path: \`single sign-on\` in a session of a connection,
  \`restricted\` in a session that still needs a second factor, \`outside\` from a network that the organization does not
  allow.
- **yes**: the caller passes all access checks. The request may still be invalid, or its target may not exist.
- **–**: 401 \`authentication_required\`. **no**: 403 \`forbidden\`. **mfa**: 401 \`mfa_required\`, until the caller verifies
  a second factor. **409**: the caller has the permission, but the last owner would be lost.
- \`@new\` is an email address without an account, \`@home\` the organization in the path.

Rules for all endpoints:

- A write with cookies but without the CSRF header is 403 \`csrf_failed\`, before any other check. Endpoints without
  authentication ignore cookies and need no CSRF header; \`/auth/logout\` and \`/auth/invitations/accept\` require it if the
  cookie belongs to an active session.
- A path with another organization than the session's is 403 for every caller, including platform roles, whether or not
  that organization exists, and even if the caller is a member of it: a session belongs to one organization.
- A request is 401 if its session has expired or was revoked, if the user was disabled or deleted, if the membership was
  removed, or if the organization is suspended.
- \`/admin/audit-export\` is shown for \`TIER=premium\`. With \`free\` it is 402 \`payment_required\` for every signed-in
  caller.
- \`/auth/reclaim\` needs a session that began with an emailed code within the last 15 minutes; none of the ten callers
  has one.
- \`/auth/refresh\` accepts only the refresh cookie. \`/dev/mail\` does not exist in production.
`;

const WORDS: Readonly<Partial<Record<Cell, string>>> = { 401: '–', 402: '402', 403: 'no', 409: '409', mfa: 'mfa' };

/** The owner of the ID in the path. */
const WHOSE: Readonly<Record<string, string>> = {
  self: 'own',
  member: 'of that member',
  owner: 'of the last owner',
  elsewhere: 'of a user of another organization',
  'platform-owner': 'of the last platform owner',
};

function endpoint({ route, path, body }: AccessRow): string {
  const whose = /=([a-z-]+)/.exec(path)?.[1];
  return [`\`${route}\``, whose && WHOSE[whose], body && body !== '[]' && `\`${body}\``].filter(Boolean).join(' ');
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const COLUMNS = [...CALLERS, 'API key', 'single sign-on', 'restricted', 'outside'];

const tableOf = (rows: readonly AccessRow[]): string =>
  [
    line(['endpoint', ...COLUMNS]),
    line(['---', ...COLUMNS.map(() => '---')]),
    ...rows.map((row) =>
      line([
        endpoint(row),
        ...[...row.cells, ...KINDS.map((kind) => row.kinds[kind])].map((cell) => WORDS[cell] ?? 'yes'),
      ]),
    ),
  ].join('\n');

export function renderAccess(): string {
  const groups = [...new Set(ACCESS_TABLE.map(({ group }) => group))];
  const sections = groups.map(
    (group) => `## ${group}\n\n${tableOf(ACCESS_TABLE.filter((row) => row.group === group))}\n`,
  );
  return [INTRODUCTION, ...sections].join('\n');
}
