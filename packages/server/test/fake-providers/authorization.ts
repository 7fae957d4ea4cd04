import { randomBytes } from 'node:crypto';
import { isAt } from './brands.ts';
import type { Answer, ReceivedRequest } from './messages.ts';
import type { Arrival, Brand, ProviderState } from './types.ts';

function problemsOf({ fake, brand }: ProviderState, url: URL): string[] {
  const { provider, settings } = fake;
  const query = url.searchParams;
  const get = (name: string) => query.get(name) ?? '';
  const names = [...query.keys()];
  const { client_id } = settings.public_config;
  const response_modes = brand.formPost ? ['form_post'] : ['', 'query'];
  const checks: [boolean, string][] = [
    [url.origin === fake.url && isAt(url.pathname, brand.paths.authorization), `is at ${url.origin}${url.pathname}`],
    [names.length === new Set(names).size, `repeats a parameter: ${names}`],
    [!query.has('client_secret') && !query.has('code_verifier'), 'gives a secret away'],
    [get('response_type') === 'code', `response_type is "${get('response_type')}"`],
    [get('client_id') === client_id, `client_id is "${get('client_id')}"`],
    [isCallback(get('redirect_uri'), provider), `redirect_uri is "${get('redirect_uri')}"`],
    [/^[\w.~-]{20,}$/.test(get('state')), `state is "${get('state')}", which can be guessed or does not fit a URL`],
    [get('code_challenge_method') === 'S256', `code_challenge_method is "${get('code_challenge_method')}"`],
    [/^[\w-]{43}$/.test(get('code_challenge')), `code_challenge is "${get('code_challenge')}"`],
    [!brand.oidc || /^[\w.~-]{16,}$/.test(get('nonce')), `nonce is "${get('nonce')}"`],
    [areScopes(brand, get('scope')), `scope is "${get('scope')}"`],
    [response_modes.includes(get('response_mode')), `response_mode is "${get('response_mode')}"`],
  ];
  return checks.filter(([right]) => !right).map(([, problem]) => problem);
}

/** A real provider compares the whole registered URL; the fake knows only how its path ends. */
function isCallback(redirect_uri: string, provider: string): boolean {
  const url = URL.canParse(redirect_uri) ? new URL(redirect_uri) : undefined;
  const isPlain = url !== undefined && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
  return isPlain && url.pathname.endsWith(`/auth/oauth/${provider}/callback`);
}

function areScopes({ scopes: { required, optional } }: Brand, scope: string): boolean {
  const asked = scope.split(/[ ,]/);
  const isKnown = asked.every((name) => required.includes(name) || optional.includes(name));
  return isKnown && required.every((name) => asked.includes(name));
}

function denialOf(brand: Brand, deny: boolean | string): Record<string, string> {
  return typeof deny === 'string' ? { error: deny } : brand.denial;
}

function consent(state: ProviderState, query: URLSearchParams): Record<string, string> {
  const { person: user } = state.fake;
  if (state.brand.isSubject?.(user.subject) === false) throw new Error(`no subject there is "${user.subject}"`);
  const code = `code-${randomBytes(16).toString('hex')}`;
  const scope = query.get('scope') ?? '';
  state.codes.set(code, {
    person: structuredClone(user),
    redirect_uri: query.get('redirect_uri') ?? '',
    code_challenge: query.get('code_challenge') ?? '',
    nonce: query.get('nonce') ?? undefined,
    scope,
  });
  return { code, ...state.brand.companions?.(state, scope) };
}

export function authorize(
  state: ProviderState,
  authorization_url: string,
  { deny = false }: { deny?: boolean | string } = {},
): Arrival {
  const url = new URL(authorization_url);
  const problems = problemsOf(state, url);
  if (problems.length > 0) {
    throw new Error(`${state.fake.provider} refuses the authorization URL:\n- ${problems.join('\n- ')}`);
  }
  const outcome = deny === false ? consent(state, url.searchParams) : denialOf(state.brand, deny);
  const fields = { ...outcome, state: url.searchParams.get('state') ?? '' };
  const callback = new URL(url.searchParams.get('redirect_uri') ?? '');
  if (state.brand.formPost) return { callback_url: callback.href, form: fields };
  callback.search = new URLSearchParams(fields).toString();
  return { callback_url: callback.href };
}

const escapeHtml = (value: string): string => value.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** Does what `authorize` does, for a real browser that opens the URL: the user consents at once. */
export function authorizationPage(state: ProviderState, { path, query }: ReceivedRequest): Answer {
  let arrival: Arrival;
  try {
    arrival = authorize(state, `${state.fake.url}${path}?${new URLSearchParams(query)}`);
  } catch (error) {
    return { status: 400, body: (error as Error).message, headers: { 'content-type': 'text/plain' } };
  }
  if (!arrival.form) return { status: 302, body: '', headers: { location: arrival.callback_url } };
  const inputs = Object.entries(arrival.form).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`,
  );
  const page = `<!doctype html><title>Apple</title><form method="post" action="${escapeHtml(arrival.callback_url)}">
${inputs.join('\n')}</form><script>document.forms[0].submit()</script>`;
  return { status: 200, body: page, headers: { 'content-type': 'text/html; charset=utf-8' } };
}
