import { type ApplicationKind, LIMITS } from '@gatehouse/contract';
import { TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { DialogForm } from '../../app/DialogForm.tsx';
import { Dimmed } from '../../app/Dimmed.tsx';
import { useForm } from '../../app/use-form.ts';
import { client } from '../../ui/client.ts';
import { redirectFault } from './faults.ts';
import { KindField } from './KindField.tsx';
import { reloadApplications } from './query.ts';
import { useText } from './text.ts';
import { UrisField } from './UrisField.tsx';
import { linesOf } from './uris.ts';

/** The scopes of a new application: enough to sign users in. Others can be added in its settings. */
const FIRST_SCOPES = ['openid', 'profile', 'email'];

export function CreateForm() {
  const t = useText();
  const navigate = useNavigate();
  const form = useForm({
    values: { name: '', kind: 'web' as ApplicationKind, uris: '' },
    check: ({ kind, uris }) => ({ uris: redirectFault(uris, kind, t) }),
    send: async ({ name, kind, uris }) => {
      const { id } = await client.applications.create({
        name: name.trim(),
        kind,
        redirect_uris: linesOf(uris),
        scopes: FIRST_SCOPES,
      });
      await reloadApplications();
      await navigate({ to: `/console/applications/${id}` });
    },
  });
  const { kind } = form.values;
  return (
    <DialogForm
      form={form}
      verb={t.createVerb}
      sentences={{ conflict: t.conflict, invalid_input: t.rejected, rate_limited: t.limited }}
    >
      <Dimmed>{t.createLead}</Dimmed>
      <TextInput
        label={t.name}
        description={t.nameHint}
        required
        maxLength={LIMITS.application.name}
        autoComplete="off"
        data-autofocus
        {...form.field('name')}
      />
      <KindField {...form.field('kind')} />
      <UrisField
        label={t.redirectUris}
        description={kind === 'native' ? `${t.redirectUrisHint} ${t.redirectUrisNative}` : t.redirectUrisHint}
        required
        {...form.field('uris')}
      />
    </DialogForm>
  );
}
