import { ERRORS, type ErrorBody, type ErrorCode } from '@gatehouse/contract';
import { html, type Markup, prose } from '@gatehouse/web';
import type { OpenApiDocument } from '../../http/openapi-document.ts';
import { errorTable, example } from './code-view.ts';

export interface Chapter {
  readonly id: string;
  readonly title: string;
  readonly content: Markup;
  /** Examples, beside the text where there is room. */
  readonly aside: Markup;
}

/** What holds for every endpoint, before the endpoints. */
export const chaptersOf = (document: OpenApiDocument<never>): readonly Chapter[] => [
  { id: 'start', title: 'Start here', content: start(document), aside: firstCall(document) },
  { id: 'authentication', title: 'Authentication', content: authentication(document), aside: credentials(document) },
  { id: 'errors', title: 'Errors', content: errors(document), aside: errorExample },
];

const baseUrlOf = ({ servers }: OpenApiDocument<never>): string => servers[0]?.url ?? '';

const start = (document: OpenApiDocument<never>): Markup =>
  html`<p>All URLs begin with <code>${baseUrlOf(document)}</code>. Bodies are JSON in UTF-8, with the content type <code>application/json</code>; uploads are <code>multipart/form-data</code>. Timestamps are RFC 3339 in UTC. IDs are UUIDs.</p>
<p>${prose(document.info.description)}</p>
<p>You can run every example in a shell after you set its variables. For tools and generators, the OpenAPI document is at <a href="/openapi.json">openapi.json</a>.</p>
`;

const firstCall = (document: OpenApiDocument<never>): Markup =>
  example('Is the service ready?', `curl ${baseUrlOf(document)}/readyz`);

const authentication = ({ components: { securitySchemes, parameters } }: OpenApiDocument<never>): Markup =>
  html`<p>For each endpoint, <em>Access</em> lists the requirements, in the order in which they are checked. If it requires a session, send the access token in one of two ways:</p>
<dl class="ways">
<dt>Bearer token</dt><dd>For servers, command lines and native apps: the header <code>Authorization</code>. It takes precedence over the cookie: an invalid token is rejected even if the cookie is valid.</dd>
<dt>Cookie</dt><dd>For browsers: the cookie <code>${securitySchemes.cookie?.name ?? ''}</code>, which scripts cannot read. A write must also send the header <code>${parameters.Csrf?.name ?? ''}</code> with the value of the <code>service_csrf</code> cookie.</dd>
</dl>
<p>Signing in (<code>POST /auth/login</code>, or <code>/auth/register</code> the first time) returns an <code>access_token</code> and sets the cookies. The token expires after <code>expires_in</code> seconds; <code>POST /auth/refresh</code> with the refresh cookie returns a new one, and also replaces that cookie. Keep cookies in a file (<code>curl -c cookies.txt -b cookies.txt</code>) or a cookie jar. A rejected refresh means that the session has ended.</p>
<p>Endpoints without authentication ignore credentials.</p>
`;

const credentials = ({ components: { securitySchemes, parameters } }: OpenApiDocument<never>): Markup =>
  html`${example('With a Bearer token', 'Authorization: Bearer $ACCESS_TOKEN')}${example(
    'From a browser, for a write',
    `Cookie: ${securitySchemes.cookie?.name}=…; service_csrf=$CSRF\n${parameters.Csrf?.name}: $CSRF`,
  )}`;

const ERROR_EXAMPLE: ErrorBody = {
  error: {
    code: 'invalid_input',
    message: 'password: must be 12 to 256 characters; email: is required',
    type: ERRORS.invalid_input.type,
  },
};

const errorExample = example('An error', JSON.stringify(ERROR_EXAMPLE, null, 2));

const errors = ({ components }: OpenApiDocument<never>): Markup =>
  html`<p>${prose(components.schemas.ErrorBody?.description ?? '')} Each code always has the same status. The message is for developers, and its wording may change.</p>
${errorTable('All error codes', Object.keys(ERRORS) as ErrorCode[])}`;
