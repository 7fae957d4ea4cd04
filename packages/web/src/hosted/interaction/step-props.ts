import type { CurrentSession, Interaction } from '@gatehouse/contract';

export interface StepProps {
  readonly interaction: Interaction;
  readonly session: CurrentSession;
  /** Sends the decision and leaves for the application or for the page of the next step. */
  readonly decide: (decision: 'allow' | 'deny', organization_id?: string) => Promise<void>;
}
