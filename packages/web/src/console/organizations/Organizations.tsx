import { Button, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { PageHead } from '../../app/PageHead.tsx';
import { Pager } from '../../app/Pager.tsx';
import { SearchField } from '../../app/SearchField.tsx';
import { useFilters } from '../../app/search.ts';
import { usePlatformRole } from '../../app/session.ts';
import { pageFrom, useList } from '../../app/use-list.ts';
import { client } from '../../ui/client.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useWords } from '../../ui/words.ts';
import { useText } from '../people-text.ts';
import { CreateForm } from './CreateForm.tsx';
import { OrganizationTable } from './OrganizationTable.tsx';

export function Page() {
  const t = useText().organizations;
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
        {data ? <OrganizationTable organizations={data.items} waiting={isPlaceholderData} /> : <Loading />}
        {data && <Pager {...data} />}
      </Panel>
    </>
  );
}

function CreateButton() {
  const words = useWords();
  const t = useText().organizations;
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button leftSection={<Icon name="add" />} onClick={open}>
        {t.create}
      </Button>
      <Modal opened={opened} onClose={close} title={t.create} closeButtonProps={{ 'aria-label': words.close }}>
        <CreateForm onCancel={close} />
      </Modal>
    </>
  );
}
