import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { Button } from '../parts/Button.tsx';
import classes from './Choice.module.css';

interface Props {
  readonly deny: string;
  readonly allow: string;
  readonly onDeny: () => Promise<void>;
  readonly onAllow: () => Promise<void>;
}

/** Two buttons of equal weight: the page does not suggest an answer. */
export function Choice({ deny, allow, onDeny, onAllow }: Props) {
  const denied = useAction(onDeny);
  const allowed = useAction(onAllow);
  const isBusy = denied.busy || allowed.busy;
  return (
    <>
      <ErrorNote error={allowed.error ?? denied.error} />
      <div className={classes.buttons}>
        <Button variant="default" loading={denied.busy} disabled={isBusy} onClick={() => void denied.run()}>
          {deny}
        </Button>
        <Button variant="default" loading={allowed.busy} disabled={isBusy} onClick={() => void allowed.run()}>
          {allow}
        </Button>
      </div>
    </>
  );
}
