import type { CredentialStore, SignedInAs } from './credentials/store.ts';

export interface Transport {
  /** The address of the API with its prefix: `https://id.example.com/v1`, or `/v1` on its own pages. */
  readonly base: string;
  readonly fetch: typeof fetch;
  readonly store: CredentialStore;
  readonly user: () => SignedInAs | undefined;
}
