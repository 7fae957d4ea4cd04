import type { OAuthProvider } from '@gatehouse/contract';
import type { Flow } from '../../domain/upstream/flow.ts';

export interface SocialFlow extends Flow {
  readonly provider: OAuthProvider;
  /** The organization to sign in to; see POST /auth/login. */
  readonly organization_id?: string | undefined;
  /** The locale of a new account. */
  readonly locale?: string | null | undefined;
  /** Set if a signed-in user links an identity; otherwise the flow is a sign-in. */
  readonly linking?: Linking | undefined;
}

export interface Linking {
  readonly user_id: string;
  readonly session_id: string;
  /** The email was unverified at the start; the flow becomes invalid once it is verified. */
  readonly isUnproven: boolean;
}
