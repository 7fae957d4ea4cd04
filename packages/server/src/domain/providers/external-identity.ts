import type { OAuthProvider } from '@gatehouse/contract';
import { subjectFrom } from '../identities/claims.ts';

/** Who a provider says somebody is. Who that is here follows from the first three alone, never from the email. */
export interface ExternalIdentity {
  readonly provider: OAuthProvider;
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  /** The provider has made sure that this person reads mail there. */
  readonly email_verified: boolean;
  readonly name: string | null;
}

/** The provider's answer was not what was agreed. `reason` is a word of ours, for the log; nothing of the answer. */
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
