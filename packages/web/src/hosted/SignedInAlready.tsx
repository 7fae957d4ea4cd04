import type { CurrentSession } from '@gatehouse/contract';
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { client } from '../ui/client.ts';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { useAction } from '../ui/use-action.ts';
import { useWords } from '../ui/words.ts';
import { Frame } from './Frame.tsx';
import { useText } from './text.ts';

interface Props {
  readonly session: CurrentSession;
  readonly target: string;
  /** The label of the button that signs out, so that another user can use the page. */
  readonly leave: string;
  readonly onLeft: () => void;
  readonly children?: ReactNode;
}

/** Shown to a signed-in user instead of a page for anonymous visitors. */
export function SignedInAlready({ session, target, leave, onLeft, children }: Props) {
  const t = useText().here;
  const words = useWords();
  const signOut = useAction(async () => {
    await client.session.signOut();
    onLeft();
  });
  return (
    <Frame title={t.title} lead={t.as(session.user.email)}>
      {children}
      <ErrorNote error={signOut.error} />
      <Button component="a" href={target}>
        {words.continue}
      </Button>
      <Button variant="default" loading={signOut.busy} onClick={() => void signOut.run()}>
        {leave}
      </Button>
    </Frame>
  );
}
