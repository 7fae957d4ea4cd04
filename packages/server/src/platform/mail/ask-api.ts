import { OutboundError, type OutboundReason, request } from '../outbound.ts';

interface ApiQuery {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly timeoutMs: number;
}

/** `sendsOnly`: the key is valid and restricted to sending. */
export type ApiAnswer =
  | { readonly status: number; readonly sendsOnly: boolean }
  | { readonly reason: OutboundReason; readonly code: string | undefined };

/** Requests the provider's list of domains, which verifies the key. Nothing else of the response is used. */
export async function askMailApi({ baseUrl, apiKey, timeoutMs }: ApiQuery): Promise<ApiAnswer> {
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
