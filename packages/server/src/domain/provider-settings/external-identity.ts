import type { OAuthProvider } from '@gatehouse/contract';
import { type Claims, subjectFrom } from '../kernel/claims.ts';

/** A user at a provider. The account is found by provider, issuer and subject, never by email. */
export interface ExternalIdentity extends Claims {
  readonly provider: OAuthProvider;
}

/** The provider's response cannot be used. `reason` is a code for the log and contains nothing of the response. */
export class ProviderFailure extends Error {
  readonly reason: string;
  constructor(reason: string) {
    super(`the provider's answer cannot be used: ${reason}`);
    this.reason = reason;
  }
}

export function subjectOf(value: unknown): string {
  const subject = subjectFrom(value);
  if (subject === undefined) throw new ProviderFailure('no_subject');
  return subject;
}
