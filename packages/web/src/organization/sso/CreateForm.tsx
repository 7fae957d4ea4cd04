import { useNavigate } from '@tanstack/react-router';
import { DialogForm } from '../../app/DialogForm.tsx';
import { useSession } from '../../app/session.ts';
import { showToast } from '../../app/toast-store.ts';
import { useCloseDialog } from '../../app/unsaved.ts';
import { useForm } from '../../app/use-form.ts';
import { client } from '../../ui/client.ts';
import { bodyOf, faultsIn, ProviderFields, sentencesFor } from './ProviderFields.tsx';
import { LIST, reloadConnections } from './query.ts';
import { useText } from './text.ts';

/** Creates a draft of a connection and opens its page, which has the other steps. */
export function CreateForm() {
  const t = useText();
  const navigate = useNavigate();
  const close = useCloseDialog();
  const { organization_id } = useSession().user;
  const form = useForm({
    values: { name: '', issuer: '', client_id: '', client_secret: '' },
    check: (typed) => faultsIn(typed, t),
    send: async (typed) => {
      const { id, name } = await client.ssoConnections.create(organization_id, bodyOf(typed));
      await reloadConnections();
      showToast(t.created(name));
      close();
      await navigate({ to: `${LIST}/${id}` });
    },
  });
  return (
    <DialogForm
      form={form}
      verb={t.createVerb}
      sentences={{ ...sentencesFor(form.error, t), conflict: t.full }}
      noValidate
    >
      <ProviderFields field={form.field} secretHint={t.secretHint} />
    </DialogForm>
  );
}
