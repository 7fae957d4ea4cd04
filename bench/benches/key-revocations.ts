import { createVerifier, type Verifier } from '../../packages/verify/src/index.ts';
import type { Bench } from '../bench.ts';
import { createKeys, type Machine, registerOrganization } from '../machines.ts';
import { type Measured, measureUnderLoad, randomPause, untilRejected } from '../rejections.ts';
import { startService } from '../service.ts';
import { atEnd } from '../tidy.ts';

const LANES = 10;
const KEYS_PER_LANE = 20;

/** Ends one key after the other. Each has been verified before, so that the verifier keeps its token. */
async function revokeKeys(keys: readonly Machine[], verifier: Verifier): Promise<Measured> {
  const measured: Measured = { times: [], faults: [] };
  for (const { key, revoke } of keys) {
    await verifier.verify(key);
    await randomPause();
    const { code, time } = await untilRejected(revoke, () => verifier.verify(key));
    measured.times.push(time);
    if (code !== 'token_invalid') measured.faults.push(`a key that has ended: ${code}`);
  }
  return measured;
}

/** How long a key that has ended is still accepted by a verifier, while the service is busy. */
export const keyRevocations: Bench = {
  name: 'key-revocations',
  about: 'time from the end of an API key to its rejection at a verifier, while the service is under load',
  rounds: { rounds: KEYS_PER_LANE, seconds: 2 },
  async run({ rounds, seconds }) {
    const service = await startService();
    const organization = await registerOrganization(service);
    const keys = await createKeys(organization, LANES * rounds);
    const verifier = createVerifier({ issuer: service.url });
    atEnd(async () => verifier.close());
    await verifier.ready();
    const lanes = Array.from({ length: LANES }, (_, lane) => keys.slice(lane * rounds, (lane + 1) * rounds));
    return measureUnderLoad({
      what: 'key revocation',
      name: `in ${LANES} lanes at once`,
      service,
      token: await organization.client.accessToken(),
      seconds,
      work: () => Promise.all(lanes.map((lane) => revokeKeys(lane, verifier))),
    });
  },
};
