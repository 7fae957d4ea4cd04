import type { CurrentSession } from '@gatehouse/contract';
import type { ReactNode } from 'react';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { forgetSession } from '../ui/session-hint.ts';
import { useAction } from '../ui/use-action.ts';
import { useWords } from '../ui/words.ts';
import { client } from './client.ts';
import { Frame } from './Frame.tsx';
import { Button, ButtonLink } from './parts/Button.tsx';
import { onwardTo } from './target.ts';
import { useText } from './text.ts';

interface Props {
  readonly session: CurrentSession;
  readonly target: string;
  /** The label of the button that signs out, so that another user can use the page. */
  readonly leave: string;
  readonly onLeft: () => void;
  readonly children?: ReactNode;
}

export function SignedInAlready({ session, target, leave, onLeft, children }: Props) {
  const t = useText().here;
  const words = useWords();
  const signOut = useAction(async () => {
    await client.session.signOut();
    forgetSession();
    onLeft();
  });
  return (
    <Frame title={t.title} lead={t.as(session.user.email)}>
      {children}
      <ErrorNote error={signOut.error} />
      <ButtonLink href={onwardTo(target, session.user)}>{words.continue}</ButtonLink>
      <Button variant="default" loading={signOut.busy} onClick={() => void signOut.run()}>
        {leave}
      </Button>
    </Frame>
  );
}
