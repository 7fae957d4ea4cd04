import { Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Empty } from '../../app/Empty.tsx';
import { FormDialog } from '../../app/FormDialog.tsx';
import { Listing } from '../../app/Listing.tsx';
import { PageHead } from '../../app/PageHead.tsx';
import { SearchField } from '../../app/SearchField.tsx';
import { useFilters } from '../../app/search.ts';
import { usePlatformRole } from '../../app/session.ts';
import { pageFrom, useList } from '../../app/use-list.ts';
import { client } from '../../ui/client.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useText } from '../users/text.ts';
import { CreateForm } from './CreateForm.tsx';
import { OrganizationTable } from './OrganizationTable.tsx';

export function Page() {
  const text = useText();
  const t = text.organizations;
  const mayCreate = usePlatformRole('admin');
  const [{ q, page: asked }] = useFilters();
  const page = pageFrom(asked);
  const { data, isPlaceholderData } = useList(['organizations', { q, page }], () =>
    client.organizations.list({ q, page }),
  );
  return (
    <>
      <PageHead title={t.title} lead={t.lead} actions={mayCreate && <CreateButton />} />
      <Panel>
        <Stack gap="xs">
          <SearchField label={t.search} placeholder={t.placeholder} />
          <Text size="sm" c="dimmed" role="status">
            {data && t.count(data.total)}
          </Text>
        </Stack>
        <Listing
          data={data}
          empty={
            <Empty icon="building" title={t.none}>
              {text.noSearch}
            </Empty>
          }
        >
          {(items) => <OrganizationTable organizations={items} waiting={isPlaceholderData} />}
        </Listing>
      </Panel>
    </>
  );
}

function CreateButton() {
  const t = useText().organizations;
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button leftSection={<Icon name="add" />} onClick={open}>
        {t.create}
      </Button>
      <FormDialog opened={opened} onClose={close} title={t.create} centered={false}>
        <CreateForm onCancel={close} />
      </FormDialog>
    </>
  );
}
