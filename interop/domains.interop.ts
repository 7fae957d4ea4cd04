import { Resolver } from 'node:dns/promises';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packagePath, unpackDebian } from '../bench/debian.ts';
import { makeFolder, type Started, startProgram } from '../bench/start-process.ts';
import { type Client, GatehouseError } from '../packages/client/src/index.ts';
import { freePort } from '../packages/server/test/ports.ts';
import { register, startWithOwner } from './account.ts';
import type { Proof } from './proof.ts';

const ZONES = ['example.test', 'xn--bcher-kva.test'] as const;

/** The configuration of NSD. Without `username` it keeps the user that starts it. */
const configuration = (folder: string, port: number) => `
server:
  ip-address: 127.0.0.1@${port}
  server-count: 1
  username: ""
  database: ""
  zonesdir: "${folder}"
  pidfile: "${folder}/nsd.pid"
  xfrdfile: "${folder}/xfrd.state"
  zonelistfile: "${folder}/zone.list"
  xfrdir: "${folder}"
remote-control:
  control-enable: no
${ZONES.map((name) => `zone:\n  name: "${name}"\n  zonefile: "${name}.zone"`).join('\n')}
`;

const zone = (records: readonly string[]) => `$TTL 60
@ IN SOA ns.example.test. hostmaster.example.test. 1 3600 600 86400 60
@ IN NS ns.example.test.
${records.join('\n')}
`;

async function untilAnswers(port: number, nsd: Started): Promise<void> {
  const resolver = new Resolver({ timeout: 500, tries: 1 });
  resolver.setServers([`127.0.0.1:${port}`]);
  for (let attempt = 0; attempt < 100; attempt++) {
    if (nsd.hasEnded()) throw new Error(`nsd did not start:\n${nsd.output()}`);
    const found = await resolver.resolveSoa(ZONES[0]).catch(() => undefined);
    if (found) return;
    await sleep(100);
  }
  throw new Error(`nsd does not answer:\n${nsd.output()}`);
}

const messageOf = (error: unknown): string => (error instanceof GatehouseError ? error.message : String(error));

export const proof: Proof = {
  about: 'NSD serves the zones of domains that organizations verify',
  async run({ check }) {
    const packages = await unpackDebian('nsd');
    const folder = makeFolder();
    const port = await freePort();
    const config = join(folder, 'nsd.conf');
    writeFileSync(config, configuration(folder, port));
    const serve = async (records: Partial<Record<(typeof ZONES)[number], readonly string[]>>): Promise<Started> => {
      for (const name of ZONES) writeFileSync(join(folder, `${name}.zone`), zone(records[name] ?? []));
      const nsd = startProgram(packagePath(packages, 'usr/sbin/nsd'), ['-d', '-c', config], {
        cwd: folder,
        env: packages.env,
      });
      await untilAnswers(port, nsd);
      return nsd;
    };

    const { client, organization_id, url } = await startWithOwner({ DNS_SERVERS: `127.0.0.1:${port}` });
    const add = (name: string, of: { client: Client; organization_id: string } = { client, organization_id }) =>
      of.client.domains.add(of.organization_id, { domain: name });
    const verify = (id: string, of: { client: Client; organization_id: string } = { client, organization_id }) =>
      of.client.domains.verify(of.organization_id, id).then(({ status }) => status, messageOf);

    const first = await add('example.test');
    const idn = await add('Bücher.test');
    const aliased = await add('aliased.example.test');
    const outside = await add('outside.test');
    check('a name in another alphabet gets its A-label', idn.domain, 'xn--bcher-kva.test');
    check(
      'no server: the look-up has no answer',
      await verify(first.id),
      'the DNS servers of example.test did not answer; try again later',
    );

    let nsd = await serve({});
    const missing = 'the TXT record was not found at _gatehouse.example.test;';
    check('NXDOMAIN: the record is missing', (await verify(first.id)).startsWith(missing), true);
    check(
      'a zone that the server does not have (REFUSED): no answer',
      await verify(outside.id),
      'the DNS servers of outside.test did not answer; try again later',
    );
    await nsd.close();

    nsd = await serve({ 'example.test': ['_gatehouse IN TXT "v=spf1 -all"', '_gatehouse IN TXT "gatehouse-domain="'] });
    check('other TXT records: the record is missing', (await verify(first.id)).startsWith(missing), true);
    await nsd.close();

    const { value } = first.record;
    // More than fits into a UDP answer, so that the service must ask again over TCP.
    const filling = Array.from({ length: 40 }, (_, index) => `_gatehouse IN TXT "${String(index).padStart(200, '0')}"`);
    nsd = await serve({
      'example.test': [
        ...filling,
        `_gatehouse IN TXT "${value.slice(0, 10)}" "${value.slice(10)}"`,
        '_gatehouse.aliased IN CNAME proof.example.test.',
        `proof IN TXT "${aliased.record.value}"`,
      ],
      'xn--bcher-kva.test': [`_gatehouse IN TXT "${idn.record.value}"`],
    });
    check('a record of two strings in an answer over TCP is found', await verify(first.id), 'verified');
    check('a record behind a CNAME is found', await verify(aliased.id), 'verified');
    check('a record of an internationalized domain is found', await verify(idn.id), 'verified');

    const other = await register(url, 'other@example.com');
    const wanted = await add('example.test', other);
    check(
      'another organization without a record learns only that',
      (await verify(wanted.id, other)).startsWith(missing),
      true,
    );
    await nsd.close();
    nsd = await serve({
      'example.test': [first, wanted].map(({ record }) => `_gatehouse IN TXT "${record.value}"`),
    });
    check(
      'the domain of another organization is not taken over',
      await verify(wanted.id, other),
      'another organization has verified this domain',
    );
    await client.domains.remove(organization_id, first.id);
    check('a domain that was removed can be verified elsewhere', await verify(wanted.id, other), 'verified');
  },
};
