import { boundedFetch } from './bounded-fetch.ts';
import { bodyOf, membersOf } from './document.ts';
import type { Settings } from './options.ts';
import { quoted } from './quoted.ts';
import { VerifyError } from './verify-error.ts';

const MAX_BYTES = 64 * 1024;
const TIMEOUT_MS = 5_000;

/**
 * Returns a function that throws if the option `issuer` differs from the issuer of the service. Once they were equal,
 * it does nothing. Without this check a wrong option would show only when tokens are rejected.
 */
export function createIssuerCheck({ address, issuer, fetch }: Pick<Settings, 'address' | 'issuer' | 'fetch'>) {
  let isEqual = false;
  return async (): Promise<void> => {
    if (isEqual) return;
    const url = `${address}/.well-known/openid-configuration`;
    const found = await boundedFetch({ url, fetch, headers: {}, maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS })
      .then((answer) => membersOf(bodyOf(answer)).issuer)
      .catch((cause) => {
        throw new VerifyError('service_unreachable', `${url} could not be fetched`, { cause });
      });
    if (found !== issuer) {
      throw new TypeError(
        `issuer: is ${quoted(issuer)}, but the service at ${address} is ${quoted(found)} (its PUBLIC_BASE_URL)`,
      );
    }
    isEqual = true;
  };
}
