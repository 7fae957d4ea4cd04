import { Button, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { queries } from '../../app/query.ts';
import { reloadSession } from '../../app/session.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useText } from '../users/text.ts';

/** Checks whether the user has a platform role now. If so, the console opens with the same session. */
export function CheckAgain() {
  const t = useText().access;
  const [notYet, setNotYet] = useState(false);
  const check = useAction(async () => {
    setNotYet(false);
    const { platform_role } = await client.account.read();
    if (platform_role === null) setNotYet(true);
    else await untilSessionKnows();
    await reloadSession();
    await queries.invalidateQueries({ queryKey: ['setup'] });
  });
  return (
    <>
      <ErrorNote error={check.error} />
      <Group>
        <Button loading={check.busy} onClick={() => void check.run()}>
          {t.check}
        </Button>
        <Button variant="default" component={Link} to="/account">
          {t.back}
        </Button>
        <Text size="sm" role="status">
          {notYet && t.notYet}
        </Text>
      </Group>
    </>
  );
}

const PAUSE_MS = 250;
const ATTEMPTS = 40;

/** Waits until the session has the role: a role granted by the command line reaches sessions after some seconds. */
async function untilSessionKnows(): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { capabilities } = await client.session.current();
    if (capabilities.platform_role !== null) return;
    await new Promise((done) => setTimeout(done, PAUSE_MS));
  }
}
