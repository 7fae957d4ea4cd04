import { ERRORS, type ErrorBody, type ErrorCode } from '@gatehouse/contract';
import { html, type Markup, prose } from '@gatehouse/web';
import type { OpenApiDocument } from '../../http/openapi-document.ts';
import { errorTable, example } from './code-view.ts';

export interface Chapter {
  readonly id: string;
  readonly title: string;
  readonly content: Markup;
  readonly aside: Markup;
}

export const chaptersOf = (document: OpenApiDocument<never>): readonly Chapter[] => [
  { id: 'start', title: 'Getting started', content: start(document), aside: firstCall(document) },
  { id: 'authentication', title: 'Authentication', content: authentication(document), aside: credentials(document) },
  { id: 'errors', title: 'Errors', content: errors(document), aside: errorExample },
];

const baseUrlOf = ({ servers }: OpenApiDocument<never>): string => servers[0]?.url ?? '';

const start = (document: OpenApiDocument<never>): Markup =>
  html`<p>All URLs start with <code>${baseUrlOf(document)}</code>. Bodies are JSON in UTF-8, declared as <code>application/json</code>; uploads are <code>multipart/form-data</code>. Timestamps are RFC 3339 in UTC; IDs are UUIDs.</p>
<p>${prose(document.info.description)}</p>
<p>Every example request runs in a shell as shown, once you have set the variables in it. For tools and code generators, the same reference is available as <a href="/openapi.json">openapi.json</a>.</p>
`;

const firstCall = (document: OpenApiDocument<never>): Markup =>
  example('Is the service ready?', `curl ${baseUrlOf(document)}/readyz`);

const authentication = ({ components: { securitySchemes, parameters } }: OpenApiDocument<never>): Markup =>
  html`<p>Each endpoint lists under <em>Access</em> what it requires, in the order of the checks. If it requires a session, send the access token in one of two ways:</p>
<dl class="ways">
<dt>Bearer token</dt><dd>For servers, command lines and native apps: the header <code>Authorization</code>. If it is present, cookies are ignored: an invalid token is rejected even if the request also carries a valid cookie.</dd>
<dt>Cookie</dt><dd>For browsers: the cookie <code>${securitySchemes.cookie?.name ?? ''}</code>, which scripts cannot read. A request that changes data must also send the header <code>${parameters.Csrf?.name ?? ''}</code> with the value of the <code>service_csrf</code> cookie.</dd>
</dl>
<p>Signing in (<code>POST /auth/login</code>, or <code>/auth/register</code> the first time) returns an <code>access_token</code> and sets the cookies. The token is valid for <code>expires_in</code> seconds; <code>POST /auth/refresh</code> with the refresh cookie returns a new one and replaces that cookie too. Keep cookies in a file (<code>curl -c cookies.txt -b cookies.txt</code>) or a cookie jar. If a refresh returns 401 without <code>Retry-After</code>, the session has ended.</p>
<p>Endpoints that are open to anyone ignore credentials.</p>
`;

const credentials = ({ components: { securitySchemes, parameters } }: OpenApiDocument<never>): Markup =>
  html`${example('With a Bearer token', 'Authorization: Bearer $ACCESS_TOKEN')}${example(
    'From a browser, for a request that changes data',
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
  html`<p>${prose(components.schemas.ErrorBody?.description ?? '')} Each code always has the same status. The message is meant for people, and its wording may change.</p>
${errorTable('All error codes', Object.keys(ERRORS) as ErrorCode[])}`;
