import { OutboundError, type OutboundReason, request } from '../outbound.ts';

interface Question {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly timeoutMs: number;
}

/** What came of it. `sendsOnly`: the key is known, and may do nothing but send. */
export type ApiAnswer =
  | { readonly status: number; readonly sendsOnly: boolean }
  | { readonly reason: OutboundReason; readonly code: string | undefined };

/** Asks the mail provider for its domains, which proves a key and sends nothing. No other word of the answer is looked at. */
export async function askMailApi({ baseUrl, apiKey, timeoutMs }: Question): Promise<ApiAnswer> {
  try {
    const { status, body } = await request(`${baseUrl.replace(/\/+$/, '')}/domains`, {
      method: 'GET',
      headers: { authorization: `Bearer ${apiKey}`, accept: 'application/json' },
      timeoutMs,
    });
    return { status, sendsOnly: status === 401 && nameIn(body) === 'restricted_api_key' };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { reason: error.reason, code: error.code };
  }
}

function nameIn(body: Buffer): unknown {
  try {
    return Object(JSON.parse(body.toString('utf8'))).name;
  } catch {
    return undefined;
  }
}
