import { SSO_CAUSES, type SsoCause, ssoSentence } from '@gatehouse/contract';

export type { SsoCause };

/** A request to a provider failed. Never contains text of a response, which may include codes and secrets. */
export class SsoProviderError extends Error {
  override readonly cause: SsoCause;
  constructor(cause: SsoCause) {
    super(`the provider of a single sign-on connection failed: ${cause}`);
    this.name = 'SsoProviderError';
    this.cause = cause;
  }
}

export const sentenceOf = (cause: SsoCause, callback_url: string): string =>
  ssoSentence(SSO_CAUSES[cause], callback_url);
