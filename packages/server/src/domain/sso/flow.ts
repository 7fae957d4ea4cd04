import type { Flow } from '../upstream/flow.ts';

/** A redirect to the provider of a connection and back: a sign-in, or a test by an owner. */
export interface SsoFlow extends Flow {
  readonly connection_id: string;
  /** `settings_id` of the connection when the flow began. */
  readonly settings_id: string;
  /** The locale of a new account. */
  readonly locale?: string | null | undefined;
  /** Set if an owner tests the connection; otherwise the flow is a sign-in. */
  readonly test?: { readonly user_id: string; readonly session_id: string } | undefined;
}
