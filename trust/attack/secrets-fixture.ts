import { createHash, randomBytes } from 'node:crypto';
import { type Answer, type Browser, createBrowser } from '../../packages/server/test/browser.ts';

/** All secrets, by name, and all responses. No secret may be found where it does not belong. */
export interface Vault {
  readonly secrets: Map<string, Secret>;
  readonly answers: { readonly asked: string; readonly answer: Answer }[];
  /** Creates a unique value, to be used as a secret of this kind. */
  plant(name: string, prefix?: string): string;
  keep(name: string, value: string, about?: Omit<Secret, 'value'>): string;
  /** A browser that records all responses and adds the secrets in them. */
  browser(url: string, jar?: Map<string, string>): Browser;
}

interface Secret {
  readonly value: string;
  /** Whether the secret can be guessed, so that a plain hash of it reveals it. */
  readonly guessable?: boolean;
  /** Whether the secret has only six digits, which may be part of a longer number by chance. */
  readonly short?: boolean;
}

const SECRET_FIELDS = /^(access_token|mfa_token|secret|otpauth_url|qr_code|recovery_codes|authorization_url)$/;

export function createVault(): Vault {
  const secrets = new Map<string, Secret>();
  const answers: Vault['answers'] = [];
  const keep: Vault['keep'] = (name, value, about = {}) => {
    const free = secrets.has(name) && secrets.get(name)!.value !== value ? `${name} ${secrets.size}` : name;
    secrets.set(free, { value, ...about });
    return value;
  };
  const note = (asked: string, answer: Answer): Answer => {
    answers.push({ asked, answer });
    for (const line of answer.set_cookies) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value) keep(`cookie ${name}`, endOf(value));
    }
    for (const [field, value] of Object.entries(answer.json ?? {})) {
      if (!SECRET_FIELDS.test(field)) continue;
      if (field === 'authorization_url') keep('state', new URL(String(value)).searchParams.get('state')!);
      else for (const one of [value].flat()) keep(field, endOf(String(one)));
      if (field === 'secret') keep('the bytes of a TOTP secret', fromBase32(String(value)).toString('hex'));
    }
    return answer;
  };
  return {
    secrets,
    answers,
    keep,
    plant: (name, prefix = 'canary-') =>
      keep(name, `${prefix}${randomBytes(12).toString('hex')}`, { guessable: name.includes('password') }),
    browser(url, jar = new Map()) {
      const plain = createBrowser(url, jar);
      const send: Browser['send'] = async (method, path, ask) =>
        note(`${method} ${path}`, await plain.send(method, path, ask));
      return {
        jar,
        send,
        get: (path, ask) => send('GET', path, ask),
        post: (path, body, ask) => send('POST', path, { ...ask, ...(body !== undefined && { body }) }),
        patch: (path, body, ask) => send('PATCH', path, { ...ask, ...(body !== undefined && { body }) }),
        delete: (path, ask) => send('DELETE', path, ask),
      };
    },
  };
}

function fromBase32(text: string): Buffer {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...text].map((letter) => letters.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** Returns the signature of a token with three parts; the other two parts are not secret. */
const endOf = (value: string): string => (/^[\w-]+\.[\w-]+\.[\w-]{20,}$/.test(value) ? value.split('.')[2]! : value);

/** The value in base64 at each of the three offsets, without the characters that depend on neighboring bytes. */
const inBase64 = (value: string, encoding: 'base64' | 'base64url'): string[] =>
  [0, 1, 2].map((offset) => {
    const text = Buffer.from(`${' '.repeat(offset)}${value}`)
      .toString(encoding)
      .replaceAll('=', '');
    return text.slice(offset === 0 ? 0 : offset + 1, -2);
  });

function formsOf({ value, guessable, short }: Secret): (string | RegExp)[] {
  const sha256 = createHash('sha256').update(value);
  const hashes = guessable || short ? [sha256.copy().digest('hex'), sha256.copy().digest('base64url')] : [];
  if (short) return [new RegExp(`(?<![\\w.:-])${value}(?![\\w-])`), ...hashes];
  const bytes = Buffer.from(value);
  const written = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value), bytes.toString('hex')];
  return [...written, ...inBase64(value, 'base64'), ...inBase64(value, 'base64url'), ...hashes];
}

export function findSecrets({ secrets }: Vault, text: string): string[] {
  const isIn = (form: string | RegExp): boolean => (typeof form === 'string' ? text.includes(form) : form.test(text));
  return [...secrets].flatMap(([name, secret]) => (formsOf(secret).some(isIn) ? [name] : []));
}
