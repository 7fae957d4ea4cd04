import { isGatehouseError } from '@gatehouse/client';
import { SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CreateDialog } from '../../app/CreateDialog.tsx';
import { Notice } from '../../app/Notice.tsx';
import { organizationQuery } from '../../app/names.ts';
import { PageHead } from '../../app/PageHead.tsx';
import { SearchField } from '../../app/SearchField.tsx';
import { useFilters } from '../../app/search.ts';
import { usePlatformRole } from '../../app/session.ts';
import { isUuid } from '../../app/uuid.ts';
import { Panel } from '../../ui/Panel.tsx';
import { OrganizationSelect } from '../OrganizationSelect.tsx';
import { ReadOnly } from '../ReadOnly.tsx';
import { FlagForm } from './FlagForm.tsx';
import { FlagList } from './FlagList.tsx';
import type { Scope } from './query.ts';
import { useText } from './text.ts';

export function Page() {
  const t = useText();
  const mayChange = usePlatformRole('admin');
  const [filters, setFilters] = useFilters();
  const organization_id = isUuid(filters.organization_id) ? filters.organization_id : undefined;
  const organization = useQuery(organizationQuery(organization_id));
  const isGone = isGatehouseError(organization.error, 'not_found');
  const own: Scope | undefined =
    organization_id === undefined || isGone
      ? undefined
      : { organization_id, name: organization.data?.name ?? organization_id };
  const everybody: Scope = { organization_id: null, name: t.default };
  return (
    <>
      <PageHead
        title={t.title}
        lead={t.lead}
        actions={
          mayChange && (
            <CreateDialog verb={t.create} wide tall>
              <FlagForm scopes={own ? [everybody, own] : [everybody]} />
            </CreateDialog>
          )
        }
      />
      <Stack>
        {!mayChange && <ReadOnly />}
        <Panel>
          <SimpleGrid cols={{ base: 1, sm: 2 }} style={{ alignItems: 'end' }}>
            <OrganizationSelect
              label={t.organization}
              placeholder={t.organizationPlaceholder}
              value={organization_id}
              onChange={(next) => setFilters({ organization_id: next })}
            />
            <SearchField label={t.find} placeholder={t.findPlaceholder} />
          </SimpleGrid>
          {isGone && (
            <div role="status">
              <Notice>{t.noOrganization}</Notice>
            </div>
          )}
        </Panel>
        <FlagList key={organization_id ?? ''} own={own} mayChange={mayChange} />
      </Stack>
    </>
  );
}
