import type { ProviderView } from '@gatehouse/contract';
import { Code } from '@mantine/core';
import { Fact, Facts } from '../../app/Facts.tsx';
import { Notice } from '../../app/Notice.tsx';
import { Tag } from '../../app/Tag.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useConsoleText } from '../text.ts';
import { statusOf } from './status.ts';
import { useText } from './text.ts';

export function StatusPanel({ view }: { view: ProviderView }) {
  const t = useText();
  const shared = useConsoleText();
  const { tone, word, sentence } = statusOf(view, t, shared);
  return (
    <Panel title={t.status} lead={sentence}>
      {view.degraded_reason && <Notice>{shared.degraded[view.degraded_reason].help}</Notice>}
      <Facts>
        <Fact name={t.status}>
          <Tag marked tone={tone}>
            {word}
          </Tag>
        </Fact>
        <Fact name={t.source}>{view.source ? t.sources[view.source] : t.nothing}</Fact>
        <Fact name={t.secretState}>{view.secret_set ? t.secretSet : t.secretNotSet}</Fact>
        {view.key_id && (
          <Fact name={t.keyId}>
            <Code>{view.key_id}</Code>
          </Fact>
        )}
        <Fact name={t.changed} at={view.updated_at} />
      </Facts>
    </Panel>
  );
}
