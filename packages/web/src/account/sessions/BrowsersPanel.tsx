import { Anchor, Button, Group, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmButton } from '../../app/ConfirmButton.tsx';
import { Empty } from '../../app/Empty.tsx';
import { queries } from '../../app/query.ts';
import { useMe } from '../../app/session.ts';
import { Tag } from '../../app/Tag.tsx';
import { client } from '../../ui/client.ts';
import { deviceName } from '../../ui/device.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { Done } from '../Done.tsx';
import { FactAt, Facts } from '../Facts.tsx';
import { Item } from '../Item.tsx';
import { Items } from '../Items.tsx';
import { useText } from './text.ts';

const BROWSERS = { queryKey: ['trusted-browsers'], queryFn: () => client.trustedBrowsers.list() };
const reload = () => queries.invalidateQueries({ queryKey: BROWSERS.queryKey });

export function BrowsersPanel() {
  const t = useText().browsers;
  const words = useWords();
  const { mfa_enabled } = useMe();
  const { items } = useSuspenseQuery(BROWSERS).data;
  const [isAdded, setIsAdded] = useState(false);
  const add = useAction(async () => {
    await client.trustedBrowsers.add();
    await reload();
    setIsAdded(true);
  });
  const revoke = async (id: string) => {
    await client.trustedBrowsers.remove(id);
    await reload();
    setIsAdded(false);
  };
  if (items.length === 0 && !mfa_enabled) {
    return (
      <Panel title={t.title} lead={t.lead}>
        <Text size="sm">
          {t.needless}{' '}
          <Anchor component={Link} to="/account/security" inherit underline="always">
            {t.toSecurity}
          </Anchor>
        </Text>
      </Panel>
    );
  }
  return (
    <Panel title={t.title} lead={t.lead}>
      {items.length === 0 && (
        <Empty icon="shield" title={t.none}>
          {t.noneHint}
        </Empty>
      )}
      <Items label={t.list}>
        {items.map(({ id, name: device, current, created_at, last_used_at, expires_at }) => {
          const name = deviceName(device, words);
          return (
            <Item
              key={id}
              icon="shield"
              title={name}
              badges={
                current && (
                  <Tag marked tone="good">
                    {t.thisOne}
                  </Tag>
                )
              }
              actions={
                <ConfirmButton
                  label={t.revokeLabel(name)}
                  title={t.revokeTitle}
                  question={t.revokeQuestion(name)}
                  verb={t.revoke}
                  work={() => revoke(id)}
                />
              }
            >
              <Facts>
                <FactAt name={t.since} at={created_at} />
                <FactAt name={t.lastUsed} at={last_used_at} />
                <FactAt name={t.until} at={expires_at} />
              </Facts>
            </Item>
          );
        })}
      </Items>
      <ErrorNote error={add.error} />
      <Done>{isAdded && t.added}</Done>
      {mfa_enabled && !items.some(({ current }) => current) && (
        <Group>
          <Button
            size="xs"
            leftSection={<Icon name="shield" size={16} />}
            loading={add.busy}
            onClick={() => void add.run()}
          >
            {t.add}
          </Button>
        </Group>
      )}
    </Panel>
  );
}
