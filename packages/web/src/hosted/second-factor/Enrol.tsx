import { isGatehouseError } from '@gatehouse/client';
import type { MfaSetup } from '@gatehouse/contract';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useWords } from '../../ui/words.ts';
import { CodeField } from '../form/CodeField.tsx';
import { digitsOf, sixDigits } from '../form/checks.ts';
import { useForm } from '../form/use-form.ts';
import { Button } from '../parts/Button.tsx';
import { Skeleton, Stack } from '../parts/Stack.tsx';
import { useResultText } from '../results/text.ts';
import classes from './SecondFactor.module.css';
import { useStarted } from './use-started.ts';

/** Groups of four are easier to type. Apps accept the spaces. */
const inGroups = (secret: string): string => secret.match(/.{1,4}/g)?.join(' ') ?? secret;

const setUp = () => client.mfa.setUp();

/** Sets up an authenticator app. A setup is valid for ten minutes; then a new one is started. */
export function Enrol({ onEnabled }: { onEnabled: (codes: readonly string[]) => void }) {
  const t = useResultText().secondFactor;
  const words = useWords();
  const { value: setup, error, again } = useStarted(setUp);
  if (setup) return <EnrolForm setup={setup} onEnabled={onEnabled} onAgain={again} />;
  if (error === undefined) return <Skeleton label={words.loading} />;
  // The setup requires a recent sign-in.
  return isGatehouseError(error, 'mfa_required') ? (
    <p>{t.signInAgain}</p>
  ) : (
    <>
      <ErrorNote error={error} sentences={{ conflict: t.changed }} />
      <Button onClick={again}>{words.tryAgain}</Button>
    </>
  );
}

interface Props {
  readonly setup: MfaSetup;
  readonly onEnabled: (codes: readonly string[]) => void;
  readonly onAgain: () => void;
}

function EnrolForm({ setup, onEnabled, onAgain }: Props) {
  const t = useResultText().secondFactor;
  const enter = useForm({
    checks: { code: sixDigits },
    send: async ({ code }) => onEnabled((await client.mfa.enable(digitsOf(code))).recovery_codes),
  });
  const isOver = isGatehouseError(enter.error, 'conflict');
  return (
    <form {...enter.form}>
      <Stack>
        <p>{t.scan}</p>
        <img className={classes.picture} src={setup.qr_code} alt={t.qrCode} width={192} height={192} />
        <p>
          {t.type} <code className={classes.secret}>{inGroups(setup.secret)}</code>
        </p>
        <ErrorNote
          error={enter.error}
          sentences={{ authentication_required: t.wrong, rate_limited: t.locked, conflict: t.over }}
        />
        {isOver ? (
          <Button onClick={onAgain}>{t.startAgain}</Button>
        ) : (
          <>
            <CodeField label={t.code} description={t.codeHint} {...enter.field('code')} />
            <Button type="submit" loading={enter.busy}>
              {t.turnOn}
            </Button>
          </>
        )}
      </Stack>
    </form>
  );
}
