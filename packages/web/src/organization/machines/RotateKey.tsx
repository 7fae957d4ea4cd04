import type { ApiKey, CreatedApiKey, ServiceAccount } from '@gatehouse/contract';
import { Button, NativeSelect, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { FormButtons } from '../../app/FormButtons.tsx';
import { useSession } from '../../app/session.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { KeyDialog } from './KeyDialog.tsx';
import { useText } from './text.ts';

interface Props {
  readonly account: ServiceAccount;
  readonly apiKey: ApiKey;
}

/** Replaces a key by a new one. Both work during the overlap. */
export function RotateKey({ account, apiKey }: Props) {
  const t = useText().keys;
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" size="xs" aria-label={`${t.rotate}: ${apiKey.name}`} onClick={open}>
        {t.rotate}
      </Button>
      <KeyDialog opened={opened} onClose={close} title={t.rotateTitle(apiKey.name)}>
        {(show) => <Form account={account} apiKey={apiKey} onClose={close} onCreated={show} />}
      </KeyDialog>
    </>
  );
}

const OVERLAPS = [0, 3_600, 86_400, 604_800] as const;
const DEFAULT_OVERLAP = '86400';

interface FormProps extends Props {
  readonly onClose: () => void;
  readonly onCreated: (created: CreatedApiKey) => void;
}

function Form({ account, apiKey, onClose, onCreated }: FormProps) {
  const t = useText().keys;
  const { organization_id } = useSession().user;
  const [overlap, setOverlap] = useState(DEFAULT_OVERLAP);
  const rotate = useAction(async () => {
    const body = { overlap_seconds: Number(overlap) };
    onCreated(await client.apiKeys.rotate(organization_id, account.id, apiKey.id, body));
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void rotate.run();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{t.rotateLead}</Text>
        <NativeSelect
          label={t.overlap}
          value={overlap}
          onChange={(event) => setOverlap(event.currentTarget.value)}
          data={OVERLAPS.map((seconds) => ({ value: String(seconds), label: t.overlaps[seconds] }))}
          data-autofocus
        />
        <ErrorNote error={rotate.error} sentences={{ conflict: t.rotateClash, forbidden: t.forbidden }} />
        <FormButtons verb={t.rotateVerb} busy={rotate.busy} onCancel={onClose} />
      </Stack>
    </form>
  );
}
