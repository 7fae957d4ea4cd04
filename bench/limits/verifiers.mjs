// A number of verifiers for one service, as in the APIs behind it. Each reads the whole feed at its start, one after
// the other, and then polls. Prints a line each time a verifier can no longer read the feed, or can again.
import { createVerifier } from '../../packages/verify/dist/index.js';

const isReady = (verifier) =>
  verifier.ready().then(
    () => true,
    () => false,
  );

const { SERVICE_URL: issuer, COUNT } = process.env;
const verifiers = Array.from({ length: Number(COUNT) }, () =>
  createVerifier({
    issuer,
    maxRevocations: 200_000,
    onFeed: (state, cause) => console.log(`${state}: ${cause}`),
  }),
);
console.log(JSON.stringify({ verifiers: verifiers.length }));
for (const verifier of verifiers) {
  while (!(await isReady(verifier)));
}
console.log('all are ready');
process.on('SIGTERM', () => process.exit(0));
process.stdin.on('end', () => process.exit(0)).resume();
