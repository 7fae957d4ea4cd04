import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Skipped, unpackDebian } from '../bench/debian.ts';
import { makeFolder, startProgram } from '../bench/start-process.ts';
import { createMachine, startWithOwner } from './account.ts';
import type { Proof } from './proof.ts';

/** Debian's modules need Debian's interpreter. */
const PYTHON = '/usr/bin/python3';

const PROGRAM = `
import json, os, requests
from authlib.integrations.requests_client import OAuth2Session
from authlib.integrations.base_client.errors import OAuthError
from authlib.jose import JsonWebKey, jwt

base, prefix, key, organization = (os.environ[name] for name in ('BASE', 'PREFIX', 'KEY', 'ORGANIZATION'))

def exchange(secret):
    client = OAuth2Session(prefix, secret, token_endpoint_auth_method='client_secret_basic')
    return client, client.fetch_token(f'{base}/oauth/token', grant_type='client_credentials')

client, token = exchange(key)
keys = JsonWebKey.import_key_set(requests.get(f'{base}/.well-known/jwks.json').json())
claims = jwt.decode(token['access_token'], keys, claims_options={
    'iss': {'essential': True, 'value': base}, 'org': {'essential': True, 'value': organization}})
claims.validate()
try:
    exchange(key[:-1] + 'x')
    mistyped = 'granted'
except OAuthError as error:
    mistyped = error.error
print(json.dumps({
    'scope': token['scope'],
    'role': claims['role'],
    'members': client.get(f'{base}/v1/orgs/{organization}/members').status_code,
    'mistyped': mistyped,
}))
`;

export const proof: Proof = {
  about: 'Authlib for Python exchanges an API key, verifies the token by the key set of the service, and uses it',
  async run({ check }) {
    if (!existsSync(PYTHON)) throw new Skipped(`this machine has no ${PYTHON}`);
    const packages = await unpackDebian('python3-authlib', 'python3-requests');
    const account = await startWithOwner();
    const { prefix, key } = await createMachine(account);
    const script = join(makeFolder(), 'client.py');
    writeFileSync(script, PROGRAM);
    const python = startProgram(PYTHON, [script], {
      env: {
        ...packages.env,
        PYTHONPATH: join(packages.folder, 'usr/lib/python3/dist-packages'),
        // The service of this proof has no TLS.
        AUTHLIB_INSECURE_TRANSPORT: '1',
        BASE: account.url,
        PREFIX: prefix,
        KEY: key,
        ORGANIZATION: account.organization_id,
      },
    });
    const seen = (await python.announced) as Record<string, unknown>;
    check('a key is exchanged', seen.scope, 'members.list org.read');
    check('the token is verified by the key set', seen.role, 'machine');
    check('the token lists the members', seen.members, 200);
    check('a mistyped key is rejected', seen.mistyped, 'invalid_client');
  },
};
