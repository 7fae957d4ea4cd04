import type { ReactNode } from 'react';
import { Panel } from '../ui/Panel.tsx';
import { type Confirmation, ConfirmButton } from './ConfirmButton.tsx';

interface Props extends Omit<Confirmation, 'title' | 'question'> {
  readonly title: string;
  readonly lead: string;
  /** The title of the question. */
  readonly ask: string;
  /** Without it, the question repeats `lead`. */
  readonly question?: ReactNode;
}

/** A panel for one serious action, such as the deletion of what the page shows, or for its reversal. */
export const DangerPanel = ({ title, lead, ask, question = lead, danger = true, ...rest }: Props) => (
  <Panel title={title} lead={lead}>
    <div>
      <ConfirmButton
        size="sm"
        {...(danger && { color: 'red', variant: 'outline' })}
        title={ask}
        question={question}
        danger={danger}
        {...rest}
      />
    </div>
  </Panel>
);
