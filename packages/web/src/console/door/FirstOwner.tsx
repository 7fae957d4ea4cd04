import { Stack, Text } from '@mantine/core';
import { PageHead } from '../../app/PageHead.tsx';
import { useMe } from '../../app/session.ts';
import { Panel } from '../../ui/Panel.tsx';
import { useText } from '../people-text.ts';
import { CheckAgain } from './CheckAgain.tsx';
import { Line } from './Line.tsx';
import { shellWord } from './shell-word.ts';

/** Nobody owns the platform yet: the one step to become its owner. */
export function FirstOwner() {
  const t = useText().door;
  const { email } = useMe();
  return (
    <>
      <PageHead title={t.title} lead={t.firstLead} />
      <Panel title={t.firstTitle}>
        <Stack gap="xs">
          <Text>{t.firstStep}</Text>
          <Line label={t.command}>{`npx gatehouse admin grant ${shellWord(email)}`}</Line>
          <Text>{t.firstThen}</Text>
        </Stack>
        <CheckAgain />
        <Stack gap="xs">
          <Text size="sm" c="dimmed">
            {t.deployed}
          </Text>
          <Line label={t.setting}>{`INITIAL_OWNER_EMAIL=${shellWord(email)}`}</Line>
        </Stack>
      </Panel>
    </>
  );
}
