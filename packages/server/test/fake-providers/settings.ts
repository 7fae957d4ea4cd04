import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { OAuthProviderDefinition } from '../../src/domain/provider-settings/definition.ts';
import type { KeyPair } from './signing-keys.ts';
import type { FakeProvider } from './types.ts';

interface Credentials {
  readonly settings: FakeProvider['settings'];
  readonly client_key: KeyPair | undefined;
}

/** Creates the credentials that the developer console of the provider would issue. */
export function makeCredentials({ id, secret: kind, optional }: OAuthProviderDefinition, tenant: string): Credentials {
  const client_id = `${id}-client`;
  if (kind === 'pem') {
    const client_key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const secret = client_key.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    return {
      settings: { public_config: { client_id, team_id: 'DEF123GHIJ', key_id: 'ABC123DEFG' }, secret },
      client_key,
    };
  }
  // The special characters detect clients that do not encode the form.
  const secret = `${id}-secret~+/&=${randomBytes(12).toString('hex')}`;
  const public_config = { client_id, ...(optional?.includes('tenant') && { tenant }) };
  return { settings: { public_config, secret }, client_key: undefined };
}
