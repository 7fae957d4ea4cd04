import { Text } from '@mantine/core';
import { PageHead } from '../../app/PageHead.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useText } from '../users/text.ts';
import { CheckAgain } from './CheckAgain.tsx';

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
