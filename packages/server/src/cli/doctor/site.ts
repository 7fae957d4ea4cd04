import { isIP } from 'node:net';

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[?::1\]?)$/;

/** A name or address of this machine, with or without the brackets of IPv6. */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host);

export const isAddress = (host: string): boolean => isIP(host.replace(/^\[(.+)\]$/, '$1')) !== 0;

/** Whether requests to this URL leave the machine unencrypted. */
export function leavesInTheClear(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !isLoopback(hostname);
}

/**
 * Whether browsers certainly treat the two URLs as different sites, between which no SameSite=Lax cookie is sent.
 * Public suffixes (`co.uk`) cannot be recognized without a list, so only different schemes or different last two labels
 * count.
 */
export function areOtherSites(one: string, other: string): boolean {
  const [left, right] = [new URL(one), new URL(other)];
  if (left.protocol !== right.protocol) return true;
  const [host, otherHost] = [left.hostname, right.hostname];
  if (isAddress(host) || isAddress(otherHost)) return host !== otherHost;
  return lastTwo(host) !== lastTwo(otherHost);
}

const lastTwo = (host: string): string => host.split('.').slice(-2).join('.');
