import { request } from '../../platform/outbound.ts';
import { ProviderFailure } from './external-identity.ts';

export async function fetchUserinfo(url: string, access_token: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${access_token}`, accept: 'application/json', 'user-agent': 'gatehouse' };
  const { status, body } = await request(url, { method: 'GET', headers });
  if (status !== 200) throw new ProviderFailure(`http_${status}`);
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new ProviderFailure('broken_json');
  }
}

export const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
