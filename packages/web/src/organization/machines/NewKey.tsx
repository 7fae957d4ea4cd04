import type { CreatedApiKey, NewApiKey, ServiceAccount } from '@gatehouse/contract';
import { Button, Checkbox, NativeSelect, Radio, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { FormButtons } from '../../app/FormButtons.tsx';
import { useSession } from '../../app/session.ts';
import { useUnsaved } from '../../app/unsaved.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { useAction } from '../../ui/use-action.ts';
import { KeyDialog } from './KeyDialog.tsx';
import { useText } from './text.ts';

interface Props {
  readonly account: ServiceAccount;
  /** What the account may do. */
  readonly permissions: readonly string[];
}

export function NewKey({ account, permissions }: Props) {
  const t = useText().keys;
  const [opened, { open, close }] = useDisclosure();
  return (
    <div>
      <Button leftSection={<Icon name="add" />} onClick={open}>
        {t.create}
      </Button>
      <KeyDialog opened={opened} onClose={close} title={t.createTitle(account.name)}>
        {(show) => <Form account={account} permissions={permissions} onClose={close} onCreated={show} />}
      </KeyDialog>
    </div>
  );
}

const DAYS = ['30', '90', '365', ''] as const;
const DAY_MS = 86_400_000;

const linesOf = (text: string): string[] => text.split(/[\s,]+/).filter((line) => line !== '');

interface FormProps extends Props {
  readonly onClose: () => void;
  readonly onCreated: (created: CreatedApiKey) => void;
}

function Form({ account, permissions, onClose, onCreated }: FormProps) {
  const t = useText().keys;
  const labels = useText().form;
  const { organization_id } = useSession().user;
  const [name, setName] = useState('');
  const [isLimited, setIsLimited] = useState(false);
  const [scopes, setScopes] = useState<readonly string[]>([]);
  const [days, setDays] = useState<string>('90');
  const [ips, setIps] = useState('');
  const [referrers, setReferrers] = useState('');
  const [checked, setChecked] = useState(false);
  const lacksScope = isLimited && scopes.length === 0;
  const create = useAction(async () => {
    const body: NewApiKey = {
      name: name.trim(),
      ...(isLimited && { scopes: [...scopes] }),
      ...(days !== '' && { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
      allowed_ips: linesOf(ips),
      allowed_referrers: linesOf(referrers),
    };
    onCreated(await client.apiKeys.create(organization_id, account.id, body));
  });
  useUnsaved((name !== '' || ips !== '' || referrers !== '') && !create.busy);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (!lacksScope) void create.run();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={labels.name}
          description={t.nameHint}
          required
          maxLength={120}
          autoComplete="off"
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Radio.Group
          label={t.scopeTitle}
          value={isLimited ? 'some' : 'all'}
          onChange={(value) => setIsLimited(value === 'some')}
        >
          <Stack gap="sm" mt={6}>
            <Radio value="all" label={t.everything} />
            <Radio value="some" label={t.scopeSome} />
          </Stack>
        </Radio.Group>
        {isLimited && (
          <Stack gap="sm" pl="lg" role="group" aria-label={t.scopeSome}>
            {permissions.map((permission) => (
              <Checkbox
                key={permission}
                label={permission}
                checked={scopes.includes(permission)}
                onChange={(event) =>
                  setScopes(
                    event.currentTarget.checked
                      ? [...scopes, permission]
                      : scopes.filter((other) => other !== permission),
                  )
                }
              />
            ))}
            {checked && lacksScope && (
              <Text size="sm" c="red" role="alert">
                {t.scopeNone}
              </Text>
            )}
          </Stack>
        )}
        <NativeSelect
          label={t.expiry}
          value={days}
          onChange={(event) => setDays(event.currentTarget.value)}
          data={DAYS.map((value) => ({
            value,
            label: value === '' ? t.never : value === '365' ? t.year : t.days(Number(value)),
          }))}
        />
        <Textarea
          label={`${t.ips} (${labels.optional})`}
          description={t.ipsHint}
          autosize
          minRows={1}
          maxRows={6}
          spellCheck={false}
          autoCapitalize="none"
          value={ips}
          onChange={(event) => setIps(event.currentTarget.value)}
        />
        <Textarea
          label={`${t.referrers} (${labels.optional})`}
          description={t.referrersHint}
          autosize
          minRows={1}
          maxRows={6}
          spellCheck={false}
          autoCapitalize="none"
          value={referrers}
          onChange={(event) => setReferrers(event.currentTarget.value)}
        />
        <ErrorNote
          error={create.error}
          sentences={{ conflict: t.full, forbidden: t.forbidden, invalid_input: t.invalid }}
        />
        <FormButtons verb={t.createVerb} busy={create.busy} onCancel={onClose} />
      </Stack>
    </form>
  );
}
