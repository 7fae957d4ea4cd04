import { LIMITS } from '@gatehouse/contract';
import { TextInput } from '@mantine/core';
import { DialogForm } from '../../app/DialogForm.tsx';
import { useSession } from '../../app/session.ts';
import { showToast } from '../../app/toast-store.ts';
import { useCloseDialog } from '../../app/unsaved.ts';
import { useForm } from '../../app/use-form.ts';
import { client } from '../../ui/client.ts';
import { reloadDomains } from './query.ts';
import { useText } from './text.ts';

/** Domains are often copied from an email address or a browser. */
const domainIn = (typed: string): string =>
  typed
    .trim()
    .replace(/^(?:https?:\/\/|.*@)/i, '')
    .replace(/\/.*$/, '');

const isDomain = (typed: string): boolean => /^[^\s.@/:]+(?:\.[^\s.@/:]+)+$/.test(typed);

export function AddForm() {
  const t = useText().add;
  const close = useCloseDialog();
  const { organization_id } = useSession().user;
  const form = useForm({
    values: { domain: '' },
    check: ({ domain }) => ({ domain: isDomain(domainIn(domain)) ? undefined : t.wrong }),
    send: async ({ domain }) => {
      const added = await client.domains.add(organization_id, { domain: domainIn(domain) });
      await reloadDomains();
      showToast(t.added(added.domain));
      close();
    },
  });
  return (
    <DialogForm form={form} verb={t.verb} sentences={{ invalid_input: t.refused, conflict: t.conflict }} noValidate>
      <TextInput
        label={t.domain}
        description={t.hint}
        required
        inputMode="url"
        maxLength={LIMITS.domain.name}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
        {...form.field('domain')}
      />
    </DialogForm>
  );
}
