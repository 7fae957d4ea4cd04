import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { KeyPair } from './signing-keys.ts';
import type { FakeProvider, ProviderId } from './types.ts';

interface Credentials {
  readonly settings: FakeProvider['settings'];
  readonly client_key: KeyPair | undefined;
}

/** What the developer console of the provider hands out. */
export function makeCredentials(provider: ProviderId, tenant: string): Credentials {
  const client_id = `${provider}-client`;
  if (provider === 'oauth_d') {
    const client_key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const secret = client_key.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    return {
      settings: { public_config: { client_id, team_id: 'DEF123GHIJ', key_id: 'ABC123DEFG' }, secret },
      client_key,
    };
  }
  // The odd characters find out who forgets to encode a form.
  const secret = `${provider}-secret~+/&=${randomBytes(12).toString('hex')}`;
  const public_config = { client_id, ...(provider === 'oauth_c' && { tenant }) };
  return { settings: { public_config, secret }, client_key: undefined };
}
