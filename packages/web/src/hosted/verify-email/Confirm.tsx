import { Button } from '@mantine/core';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useText } from '../text.ts';

interface Props {
  readonly token: string;
  readonly label: string;
  readonly isDead: (error: unknown) => boolean;
  readonly onEnd: (outcome: 'done' | 'dead') => void;
}

export function Confirm({ token, label, isDead, onEnd }: Props) {
  const t = useText().verify;
  const confirm = useAction(async () => {
    try {
      await client.signIn.verifyEmail(token);
    } catch (error) {
      if (!isDead(error)) throw error;
      return onEnd('dead');
    }
    onEnd('done');
  });
  return (
    <>
      <ErrorNote error={confirm.error} sentences={{ conflict: t.taken }} />
      <Button loading={confirm.busy} onClick={() => void confirm.run()}>
        {label}
      </Button>
    </>
  );
}
