import { Text } from '@mantine/core';
import { PageHead } from '../../app/PageHead.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useText } from '../people-text.ts';
import { CheckAgain } from './CheckAgain.tsx';

/** Shown if the platform has an owner, who can grant a role. */
export function NoRole() {
  const t = useText().access;
  return (
    <>
      <PageHead title={t.title} />
      <Panel title={t.closedTitle}>
        <Text>{t.closed}</Text>
        <CheckAgain />
      </Panel>
    </>
  );
}
