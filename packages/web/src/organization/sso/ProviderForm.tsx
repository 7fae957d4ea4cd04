import type { SsoConnection } from '@gatehouse/contract';
import { Stack } from '@mantine/core';
import { useSession } from '../../app/session.ts';
import { showToast } from '../../app/toast-store.ts';
import { useForm } from '../../app/use-form.ts';
import { client } from '../../ui/client.ts';
import { Panel } from '../../ui/Panel.tsx';
import { bodyOf, faultsIn, ProviderFields, sentencesFor } from './ProviderFields.tsx';
import { reloadConnections } from './query.ts';
import { SaveRow } from './SaveRow.tsx';
import { useText } from './text.ts';

/** Step 1: name, issuer and client. */
export function ProviderForm({ connection }: { connection: SsoConnection }) {
  const t = useText();
  const { organization_id } = useSession().user;
  const { name, issuer, client_id } = connection;
  const form = useForm({
    values: { name, issuer, client_id, client_secret: '' },
    check: (typed) => faultsIn(typed, t),
    send: async (typed, reset) => {
      await client.ssoConnections.change(organization_id, connection.id, bodyOf(typed));
      await reloadConnections();
      reset();
      showToast(t.provider.saved);
    },
  });
  const body = bodyOf(form.values);
  const hasNewIssuer = body.issuer !== issuer;
  const isOther = hasNewIssuer || body.client_id !== client_id || form.values.client_secret !== '';
  const secretHint = !connection.secret_set ? t.secretHint : hasNewIssuer ? t.secretLost : t.secretKept;
  return (
    <Panel title={t.provider.title} lead={t.provider.lead}>
      <form {...form.props} noValidate>
        <Stack>
          <ProviderFields field={form.field} secretHint={secretHint} />
          <SaveRow
            form={form}
            warning={connection.status === 'active' && isOther && t.provider.ends}
            sentences={{ ...sentencesFor(form.error, t), conflict: t.required }}
            isChanged={isOther || body.name !== name}
          />
        </Stack>
      </form>
    </Panel>
  );
}
