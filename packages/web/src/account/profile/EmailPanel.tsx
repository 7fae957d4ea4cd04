import { Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useMe } from '../../app/session.ts';
import { Tag } from '../../app/Tag.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Done } from '../Done.tsx';
import { ChangeEmail } from './ChangeEmail.tsx';
import { DevMail } from './DevMail.tsx';
import { useText } from './text.ts';

export function EmailPanel() {
  const t = useText().email;
  const { email, email_verified } = useMe();
  const [sentTo, setSentTo] = useState<string>();
  return (
    <Panel title={t.title} lead={t.lead}>
      <Group justify="space-between">
        <Group gap="sm">
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            {email}
          </Text>
          {email_verified ? (
            <Tag marked tone="good">
              {t.verified}
            </Tag>
          ) : (
            <Tag marked tone="warn">
              {t.unverified}
            </Tag>
          )}
        </Group>
        <ChangeEmail onSent={setSentTo} />
      </Group>
      <Done>
        {sentTo && (
          <>
            <Text fw={600} size="sm">
              {t.sentTitle}
            </Text>
            {t.sent(sentTo)}
            <DevMail />
          </>
        )}
      </Done>
    </Panel>
  );
}
