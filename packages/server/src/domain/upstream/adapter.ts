import type { FlowSecrets } from '../../platform/crypto/browser-state.ts';
import type { Deps } from '../context.ts';
import type { Claims } from '../kernel/claims.ts';
import type { Failed } from './failure.ts';

export interface AuthorizationRequest extends FlowSecrets {
  readonly state: string;
  /** The email that the user entered before, for the sign-in page of the provider. */
  readonly login_hint?: string | undefined;
}

/** The parameters of a response: of the query, or of a posted form. Not validated. */
export type ResponseParameters = Readonly<Record<string, unknown>>;

/**
 * A protocol by which a provider identifies users. `Connection` is what an administrator has configured, for example a
 * provider of the service or a connection of an organization.
 *
 * Everything else belongs to the round trip and is the same for every protocol: the state and its binding to the
 * browser, its single use, the limit of failed requests, the audit of failures, and the repetition of a sign-in that a
 * concurrent request has changed. docs/adding-a-provider.md says how to add a protocol.
 */
export interface Adapter<Connection, D = Deps> {
  /** Returns the URL to which the browser is sent. */
  start(deps: D, connection: Connection, request: AuthorizationRequest): Promise<string>;
  /**
   * Reads the response, without side effects. Returns the request that identifies the user, which rejects with
   * `Failed`, or why none can be made. `secrets` are those that `start` got; the response must be bound to one of them.
   */
  identify(
    deps: D,
    connection: Connection,
    secrets: FlowSecrets,
    response: ResponseParameters,
  ): IdentityRequest | Failed;
}

export type IdentityRequest = () => Promise<Claims>;
