import type { SsoConnection } from '@gatehouse/contract';
import { Stack } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Dimmed } from '../../app/Dimmed.tsx';
import { Fact, Facts } from '../../app/Facts.tsx';
import { Missing } from '../../app/Missing.tsx';
import { PageHead } from '../../app/PageHead.tsx';
import { usePermission, useSession } from '../../app/session.ts';
import { useLanguage } from '../../ui/language.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Copyable } from '../Copyable.tsx';
import { NotAllowed } from '../NotAllowed.tsx';
import { useText as useOrganizationText } from '../text.ts';
import { ActivatePanel, DeletePanel } from './ActivatePanel.tsx';
import { StateTag, TestTag } from './ConnectionTags.tsx';
import { DomainsForm } from './DomainsForm.tsx';
import { MembersForm } from './MembersForm.tsx';
import { ProviderForm } from './ProviderForm.tsx';
import { connectionQuery, LIST } from './query.ts';
import { TestPanel } from './TestPanel.tsx';
import { useText } from './text.ts';

export function Page() {
  const t = useText();
  // Loads this text with the page: a component that suspends for it later would replace the page by the fallback.
  useOrganizationText();
  if (!usePermission('sso.manage')) return <NotAllowed icon="enter" title={t.title} reason={t.notYours} />;
  return <Connection />;
}

/** The panels are in the order in which a connection is set up. */
function Connection() {
  const t = useText();
  const { organization_id } = useSession().user;
  const { id } = useParams({ strict: false }) as { id: string };
  const connection = useSuspenseQuery(connectionQuery(organization_id, id)).data;
  if (!connection) return <Missing icon="enter" title={t.missingTitle} hint={t.missing} to={LIST} label={t.toList} />;
  return (
    <>
      <PageHead above={{ to: LIST, label: t.title }} title={connection.name} lead={<Next connection={connection} />} />
      <Stack key={connection.id}>
        <Panel>
          <Facts>
            <Fact name={t.status}>
              <StateTag {...connection} />
            </Fact>
            <Fact name={t.lastTest}>
              <TestTag {...connection} />
            </Fact>
            <Fact name={t.domains}>{connection.domains.join(', ')}</Fact>
          </Facts>
        </Panel>
        <ProviderForm connection={connection} />
        <Panel title={t.callback.title} lead={t.callback.lead}>
          <Copyable value={connection.callback_url} label={t.callback.copy} />
          <Dimmed>{t.callback.scopes}</Dimmed>
        </Panel>
        <DomainsForm key={`domains ${connection.domains}`} connection={connection} />
        <MembersForm connection={connection} />
        <TestPanel connection={connection} />
        <ActivatePanel connection={connection} />
        <DeletePanel connection={connection} />
      </Stack>
    </>
  );
}

function Next({ connection: { status, domains, last_test } }: { connection: SsoConnection }) {
  const t = useText().next;
  const { language } = useLanguage();
  const list = new Intl.ListFormat(language, { type: 'disjunction' }).format(domains);
  if (status === 'active') return domains.length === 0 ? t.idle : t.active(list);
  if (last_test?.ok === false) return t.failed;
  if (domains.length === 0) return t.domains;
  return last_test === null ? t.test : t.activate;
}
