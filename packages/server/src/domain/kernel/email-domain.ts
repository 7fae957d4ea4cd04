import { domainToASCII } from 'node:url';

/** A label before conversion: letters, digits and hyphens. `domainToASCII` alone would also accept URLs and ports. */
const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?$/u;
const A_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Returns the stored form, lower-case A-labels (IDNA); undefined if not a domain name of at least two labels. */
export function canonicalDomain(text: string): string | undefined {
  if (
    !text
      .normalize('NFKC')
      .split('.')
      .every((label) => LABEL.test(label))
  )
    return undefined;
  const domain = domainToASCII(text);
  const labels = domain.split('.');
  return labels.length > 1 && labels.every((label) => A_LABEL.test(label)) ? domain : undefined;
}

/** Returns the domain of an email address in canonical form. Subdomains are other domains. */
export const domainOfEmail = (email: string): string | undefined =>
  canonicalDomain(email.slice(email.lastIndexOf('@') + 1));
