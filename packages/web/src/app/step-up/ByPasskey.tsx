import { isGatehouseError, signInWithPasskey } from '@gatehouse/client';
import { Button, Stack } from '@mantine/core';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Note } from '../../ui/Note.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useMe, useSession } from '../session.ts';
import { useText } from './text.ts';
import { useSignInAgain } from './use-sign-in-again.ts';

/** A passkey counts as both factors, so it satisfies every step-up. */
export function ByPasskey({ onDone }: { onDone: () => void }) {
  const t = useText();
  const { email } = useMe();
  const { organization_id } = useSession().user;
  const finish = useSignInAgain(onDone);
  const use = useAction(async () => {
    await finish(await signInWithPasskey(client, { email, organization_id }));
  });
  return (
    <Stack>
      {isGatehouseError(use.error) ? (
        <ErrorNote error={use.error} sentences={{ authentication_required: t.passkeyFailed }} />
      ) : (
        // The remedy is the same for all errors of the browser.
        use.error !== undefined && <Note>{t.passkeyFailed}</Note>
      )}
      <Button variant="default" leftSection={<Icon name="passkey" />} loading={use.busy} onClick={() => void use.run()}>
        {t.withPasskey}
      </Button>
    </Stack>
  );
}
