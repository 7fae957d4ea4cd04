import type { Application } from '@gatehouse/contract';
import { Button, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { ConfirmButton } from '../../app/ConfirmButton.tsx';
import { DataTable } from '../../app/DataTable.tsx';
import { Empty } from '../../app/Empty.tsx';
import { FormDialog } from '../../app/FormDialog.tsx';
import { showToast } from '../../app/toast-store.ts';
import { client } from '../../ui/client.ts';
import { Icon } from '../../ui/Icon.tsx';
import { useLanguage } from '../../ui/language.tsx';
import { Moment } from '../../ui/Moment.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { NewSecret, SecretOnce } from './NewSecret.tsx';
import { reloadApplications } from './query.ts';
import { useText } from './text.ts';

interface Props {
  readonly application: Application;
  readonly mayChange: boolean;
}

/** The secrets of a web application. Their values are shown only once, after creation. */
export function SecretsPanel({ application: { id, secrets }, mayChange }: Props) {
  const t = useText().secrets;
  const { language } = useLanguage();
  const nameOf = (created_at: string) =>
    t.item(new Date(created_at).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' }));
  const remove = async (secret_id: string) => {
    await client.applications.removeSecret(id, secret_id);
    await reloadApplications();
    showToast(t.removed);
  };
  return (
    <Panel title={t.title} lead={t.lead}>
      {secrets.length === 0 ? (
        <Empty icon="key" title={t.none}>
          {t.noneHint}
        </Empty>
      ) : (
        <DataTable
          label={t.list}
          items={secrets}
          keyOf={(secret) => secret.id}
          columns={[
            { head: t.label, cell: ({ created_at }) => nameOf(created_at) },
            { head: t.lifetime, cell: ({ expires_at }) => <Expiry at={expires_at} />, short: true },
          ]}
          actions={
            mayChange
              ? (secret) => (
                  <ConfirmButton
                    label={t.removeLabel(nameOf(secret.created_at))}
                    title={t.removeTitle}
                    question={t.removeQuestion}
                    verb={t.remove}
                    work={() => remove(secret.id)}
                  />
                )
              : undefined
          }
        />
      )}
      {mayChange && <CreateSecret id={id} />}
    </Panel>
  );
}

function Expiry({ at }: { at: string | null }) {
  const t = useText().secrets;
  if (at === null) return t.lifetimes.never;
  return Date.parse(at) <= Date.now() ? t.expired : <Moment at={at} />;
}

function CreateSecret({ id }: { id: string }) {
  const t = useText().secrets;
  const [opened, { open, close }] = useDisclosure();
  const [secret, setSecret] = useState<string>();
  const finish = () => {
    close();
    setSecret(undefined);
  };
  return (
    <div>
      <Button variant="default" leftSection={<Icon name="add" />} onClick={open}>
        {t.create}
      </Button>
      <FormDialog
        opened={opened}
        onClose={finish}
        title={secret === undefined ? t.createTitle : t.shownTitle}
        // The secret cannot be shown again.
        closeOnClickOutside={secret === undefined}
        closeOnEscape={secret === undefined}
      >
        <Stack>
          {secret === undefined ? (
            <NewSecret application_id={id} onCreated={setSecret} />
          ) : (
            <SecretOnce secret={secret} onSaved={finish} />
          )}
        </Stack>
      </FormDialog>
    </div>
  );
}
