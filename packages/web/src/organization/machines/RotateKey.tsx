import type { ApiKey, CreatedApiKey, ServiceAccount } from '@gatehouse/contract';
import { NativeSelect, Text } from '@mantine/core';
import { DialogForm } from '../../app/DialogForm.tsx';
import { useSession } from '../../app/session.ts';
import { useForm } from '../../app/use-form.ts';
import { client } from '../../ui/client.ts';
import { KeyDialog } from './KeyDialog.tsx';
import { useText } from './text.ts';

interface Props {
  readonly account: ServiceAccount;
  readonly apiKey: ApiKey;
}

/** Replaces a key by a new one. Both work during the overlap. */
export function RotateKey({ account, apiKey }: Props) {
  const t = useText().keys;
  return (
    <KeyDialog
      variant="default"
      size="xs"
      verb={t.rotate}
      label={`${t.rotate}: ${apiKey.name}`}
      title={t.rotateTitle(apiKey.name)}
    >
      {(show) => <Form account={account} apiKey={apiKey} onCreated={show} />}
    </KeyDialog>
  );
}

const OVERLAPS = [0, 3_600, 86_400, 604_800] as const;
const DEFAULT_OVERLAP = '86400';

interface FormProps extends Props {
  readonly onCreated: (created: CreatedApiKey) => void;
}

function Form({ account, apiKey, onCreated }: FormProps) {
  const t = useText().keys;
  const { organization_id } = useSession().user;
  const form = useForm({
    values: { overlap: DEFAULT_OVERLAP },
    guarded: false,
    send: async ({ overlap }) => {
      const body = { overlap_seconds: Number(overlap) };
      onCreated(await client.apiKeys.rotate(organization_id, account.id, apiKey.id, body));
    },
  });
  return (
    <DialogForm form={form} verb={t.rotateVerb} sentences={{ conflict: t.rotateClash, forbidden: t.forbidden }}>
      <Text size="sm">{t.rotateLead}</Text>
      <NativeSelect
        label={t.overlap}
        data={OVERLAPS.map((seconds) => ({ value: String(seconds), label: t.overlaps[seconds] }))}
        data-autofocus
        {...form.field('overlap')}
      />
    </DialogForm>
  );
}
