import { LIMITS } from '@gatehouse/contract';
import { parse } from 'tldts';
import { canonicalDomain } from '../../domain/kernel/email-domain.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { PUBLIC_MAIL_DOMAINS } from './public-mail.ts';

const invalid = (message: string) => new ServiceError('invalid_input', `domain: ${message}`);

/**
 * Returns the domain in canonical form. Throws 400 for a text that is not a domain name, for a public suffix (the
 * private section of the list included) and for the domain of a public mail service. A top-level domain that is not in
 * the list, such as that of a company's own network, counts as a public suffix.
 */
export function checkedDomain(text: string): string {
  const domain = canonicalDomain(text.trim().replace(/\.$/, ''));
  if (domain === undefined) throw invalid('must be a domain name such as example.com');
  if (domain.length > LIMITS.domain.name) throw invalid(`must be at most ${LIMITS.domain.name} characters`);
  const { isIp, publicSuffix } = parse(domain, { allowPrivateDomains: true, extractHostname: false });
  if (isIp) throw invalid('must be a domain name, not an IP address');
  if (publicSuffix === domain) throw invalid('is a public suffix, under which anyone can register domains');
  if (PUBLIC_MAIL_DOMAINS.has(domain)) throw invalid('belongs to a public mail service');
  return domain;
}
