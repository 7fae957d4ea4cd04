import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Empty } from '../../app/Empty.tsx';
import { PageHead } from '../../app/PageHead.tsx';
import { useMe, useSession } from '../../app/session.ts';
import { Icon } from '../../ui/Icon.tsx';
import { useLanguage } from '../../ui/language.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Items } from '../Items.tsx';
import { OrganizationItem } from './OrganizationItem.tsx';
import { useText } from './text.ts';

const SEARCH_ABOVE = 7;

export function Page() {
  const t = useText();
  const { language } = useLanguage();
  const { memberships } = useMe();
  const currentId = useSession().user.organization_id;
  const [filter, setFilter] = useState('');
  const lower = (text: string) => text.toLocaleLowerCase(language);
  const found = memberships
    .filter(({ organization_name, organization_slug }) =>
      [organization_name, organization_slug].some((name) => lower(name).includes(lower(filter.trim()))),
    )
    .sort(
      (a, b) =>
        Number(b.organization_id === currentId) - Number(a.organization_id === currentId) ||
        a.organization_name.localeCompare(b.organization_name, language),
    );
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <Panel title={t.panel} lead={memberships.length > 1 && t.leaveHint}>
        {memberships.length > SEARCH_ABOVE && (
          <TextInput
            type="search"
            label={t.filter}
            leftSection={<Icon name="search" size={16} />}
            value={filter}
            onChange={(event) => setFilter(event.currentTarget.value)}
          />
        )}
        {memberships.length > SEARCH_ABOVE && (
          <Text size="sm" c="dimmed" role="status">
            {t.count(found.length, memberships.length)}
          </Text>
        )}
        {found.length === 0 ? (
          <Empty icon="building" title={t.noMatch}>
            {t.noMatchHint}
          </Empty>
        ) : (
          <Items label={t.list}>
            {found.map((membership) => (
              <OrganizationItem
                key={membership.organization_id}
                membership={membership}
                isCurrent={membership.organization_id === currentId}
              />
            ))}
          </Items>
        )}
      </Panel>
    </>
  );
}
