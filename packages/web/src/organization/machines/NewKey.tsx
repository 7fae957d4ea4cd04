import type { CreatedApiKey, NewApiKey, ServiceAccount } from '@gatehouse/contract';
import { NativeSelect, Radio, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { CheckList } from '../../app/CheckList.tsx';
import { DialogForm } from '../../app/DialogForm.tsx';
import { useSession } from '../../app/session.ts';
import { useForm } from '../../app/use-form.ts';
import { client } from '../../ui/client.ts';
import { Icon } from '../../ui/Icon.tsx';
import { KeyDialog } from './KeyDialog.tsx';
import { useText } from './text.ts';

interface Props {
  readonly account: ServiceAccount;
  /** What the account may do. */
  readonly permissions: readonly string[];
}

export function NewKey(props: Props) {
  const t = useText().keys;
  return (
    <div>
      <KeyDialog leftSection={<Icon name="add" />} verb={t.create} title={t.createTitle(props.account.name)}>
        {(show) => <Form {...props} onCreated={show} />}
      </KeyDialog>
    </div>
  );
}

const DAYS = ['30', '90', '365', ''] as const;
const DAY_MS = 86_400_000;

const linesOf = (text: string): string[] => text.split(/[\s,]+/).filter((line) => line !== '');

/** For the fields with addresses. */
const LINES = { autosize: true, minRows: 1, maxRows: 6, spellCheck: false, autoCapitalize: 'none' } as const;

interface FormProps extends Props {
  readonly onCreated: (created: CreatedApiKey) => void;
}

function Form({ account, permissions, onCreated }: FormProps) {
  const t = useText().keys;
  const labels = useText().form;
  const { organization_id } = useSession().user;
  const form = useForm({
    values: { name: '', range: 'all', scopes: [] as readonly string[], days: '90', ips: '', referrers: '' },
    check: ({ range, scopes }) => ({ scopes: range === 'some' && scopes.length === 0 ? t.scopeNone : undefined }),
    send: async ({ name, range, scopes, days, ips, referrers }) => {
      const body: NewApiKey = {
        name: name.trim(),
        ...(range === 'some' && { scopes: [...scopes] }),
        ...(days !== '' && { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
        allowed_ips: linesOf(ips),
        allowed_referrers: linesOf(referrers),
      };
      onCreated(await client.apiKeys.create(organization_id, account.id, body));
    },
  });
  const { error: lacksScope, ...scopes } = form.field('scopes');
  return (
    <DialogForm
      form={form}
      verb={t.createVerb}
      sentences={{ conflict: t.full, forbidden: t.forbidden, invalid_input: t.invalid }}
    >
      <TextInput
        label={labels.name}
        description={t.nameHint}
        required
        maxLength={120}
        autoComplete="off"
        data-autofocus
        {...form.field('name')}
      />
      <Radio.Group label={t.scopeTitle} {...form.field('range')}>
        <Stack gap="sm" mt={6}>
          <Radio value="all" label={t.everything} />
          <Radio value="some" label={t.scopeSome} />
        </Stack>
      </Radio.Group>
      {form.values.range === 'some' && (
        <Stack gap="sm" pl="lg" role="group" aria-label={t.scopeSome}>
          <CheckList items={permissions.map((value) => ({ value }))} {...scopes} />
          {lacksScope && (
            <Text size="sm" c="red" role="alert">
              {lacksScope}
            </Text>
          )}
        </Stack>
      )}
      <NativeSelect
        label={t.expiry}
        data={DAYS.map((value) => ({
          value,
          label: value === '' ? t.never : value === '365' ? t.year : t.days(Number(value)),
        }))}
        {...form.field('days')}
      />
      <Textarea label={`${t.ips} (${labels.optional})`} description={t.ipsHint} {...LINES} {...form.field('ips')} />
      <Textarea
        label={`${t.referrers} (${labels.optional})`}
        description={t.referrersHint}
        {...LINES}
        {...form.field('referrers')}
      />
    </DialogForm>
  );
}
