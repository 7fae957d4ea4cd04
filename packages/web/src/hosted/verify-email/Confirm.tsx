import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { client } from '../client.ts';
import { Button } from '../parts/Button.tsx';
import { useResultText } from '../results/text.ts';

export type Outcome = 'done' | 'disowned' | 'dead';

interface Props {
  readonly token: string;
  readonly label: string;
  readonly disown?: { readonly explanation?: string; readonly label: string } | undefined;
  readonly isDead: (error: unknown) => boolean;
  readonly onEnd: (outcome: Outcome) => void;
}

export function Confirm({ token, label, disown, isDead, onEnd }: Props) {
  const t = useResultText().verify;
  const send = async (outcome: 'done' | 'disowned') => {
    try {
      await client.signIn.verifyEmail(token, { disown: outcome === 'disowned' });
    } catch (error) {
      if (!isDead(error)) throw error;
      return onEnd('dead');
    }
    onEnd(outcome);
  };
  const confirm = useAction(() => send('done'));
  const reject = useAction(() => send('disowned'));
  return (
    <>
      <ErrorNote error={confirm.error ?? reject.error} sentences={{ conflict: t.taken }} />
      <Button loading={confirm.busy} disabled={reject.busy} onClick={() => void confirm.run()}>
        {label}
      </Button>
      {disown?.explanation && <p className="small">{disown.explanation}</p>}
      {disown && (
        <Button variant="danger" loading={reject.busy} disabled={confirm.busy} onClick={() => void reject.run()}>
          {disown.label}
        </Button>
      )}
    </>
  );
}
