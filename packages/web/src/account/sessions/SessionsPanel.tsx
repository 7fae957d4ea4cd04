import { Button, Group } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmButton } from '../../app/ConfirmButton.tsx';
import { client } from '../../ui/client.ts';
import { Panel } from '../../ui/Panel.tsx';
import { Done } from '../Done.tsx';
import { Items } from '../Items.tsx';
import { SessionItem } from './SessionItem.tsx';
import { reloadSessions, SESSIONS } from './sessions-query.ts';
import { useText } from './text.ts';

const MAX_SHOWN = 20;

export function SessionsPanel() {
  const t = useText().sessions;
  const { items } = useSuspenseQuery(SESSIONS).data;
  const [showsAll, setShowsAll] = useState(false);
  const [done, setDone] = useState<string>();
  // The current session is first, even if another one was used later.
  const sorted = [...items].sort((a, b) => Number(b.current) - Number(a.current));
  const shown = showsAll ? sorted : sorted.slice(0, MAX_SHOWN);
  const endOthers = async () => {
    await client.session.endOthers();
    await reloadSessions();
    setDone(t.othersEnded);
  };
  const endAll = async () => {
    await client.session.endAll();
    location.assign('/signed-out');
  };
  return (
    <Panel title={t.title}>
      <Items label={t.list}>
        {shown.map((session) => (
          <SessionItem key={session.id} session={session} onEnded={() => setDone(t.ended)} />
        ))}
      </Items>
      {shown.length < items.length && (
        <Group justify="center">
          <Button variant="subtle" size="xs" onClick={() => setShowsAll(true)}>
            {t.showAll(items.length)}
          </Button>
        </Group>
      )}
      <Done>{done}</Done>
      <Group gap="xs">
        {items.length > 1 && (
          <ConfirmButton title={t.endOthersTitle} question={t.endOthersQuestion} verb={t.endOthers} work={endOthers} />
        )}
        <ConfirmButton title={t.endAllTitle} question={t.endAllQuestion} verb={t.endAll} work={endAll} />
      </Group>
    </Panel>
  );
}
