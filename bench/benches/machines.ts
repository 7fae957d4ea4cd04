import { type Bench, FEW_ROUNDS, raced } from '../bench.ts';
import { requests } from '../contestant.ts';
import { CONNECTIONS, rs256 } from '../limits.ts';
import { request } from '../load.ts';
import { createKeys, registerOrganization } from '../machines.ts';
import { startService } from '../service.ts';

const KEYS = 64;

const BY_TOKEN = 'GET /orgs/:id/members by access token';

export const machines: Bench = {
  name: 'machines',
  about: 'GET /orgs/:id/members by API key and by access token; POST /oauth/token by API key, against RS256 alone',
  rounds: FEW_ROUNDS,
  async run(options) {
    const service = await startService({ settings: { LIMIT_KEY_EXCHANGES: '100000000/1m' } });
    const organization = await registerOrganization(service);
    const keys = await createKeys(organization, KEYS);
    const { pid, port } = service;
    const members = (bearer: string) =>
      request('GET', `/v1/orgs/${organization.organization_id}/members`, { authorization: `Bearer ${bearer}` });
    const [byKey, byToken] = [members(keys[0]!.key), members(await organization.client.accessToken())];
    const exchanges = keys.map(({ prefix, key }) =>
      request(
        'POST',
        '/oauth/token',
        {
          authorization: `Basic ${Buffer.from(`${prefix}:${key}`).toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        'grant_type=client_credentials',
      ),
    );
    let index = 0;
    return raced(
      {
        contestants: [
          rs256(),
          requests({
            name: 'POST /oauth/token by API key',
            pids: [pid],
            port,
            connections: CONNECTIONS,
            next: () => exchanges[index++ % exchanges.length]!,
          }),
          requests({ name: BY_TOKEN, pids: [pid], port, connections: CONNECTIONS, next: () => byToken }),
          {
            ...requests({
              name: 'GET /orgs/:id/members by API key',
              pids: [pid],
              port,
              connections: CONNECTIONS,
              next: () => byKey,
            }),
            against: BY_TOKEN,
          },
        ],
      },
      options,
    );
  },
};
