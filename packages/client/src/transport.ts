import type { Holder, Person } from './holders/holder.ts';

export interface Transport {
  /** The address of the API with its prefix: `https://id.example.com/v1`, or `/v1` on its own pages. */
  readonly base: string;
  readonly fetch: typeof fetch;
  readonly holder: Holder;
  readonly person: () => Person | undefined;
}
