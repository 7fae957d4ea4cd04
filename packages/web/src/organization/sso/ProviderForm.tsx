import type { SsoConnection } from '@gatehouse/contract';
import { Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useSession } from '../../app/session.ts';
import { showToast } from '../../app/toast-store.ts';
import { useUnsaved } from '../../app/unsaved.ts';
import { client } from '../../ui/client.ts';
import { Panel } from '../../ui/Panel.tsx';
import { useAction } from '../../ui/use-action.ts';
import { bodyOf, faultsIn, ProviderFields, sentencesFor, type Typed } from './ProviderFields.tsx';
import { reloadConnections } from './query.ts';
import { SaveRow } from './SaveRow.tsx';
import { useText } from './text.ts';

const typedOf = ({ name, issuer, client_id }: SsoConnection): Typed => ({ name, issuer, client_id, client_secret: '' });

/** Step 1: name, issuer and client. */
export function ProviderForm({ connection }: { connection: SsoConnection }) {
  const t = useText();
  const { organization_id } = useSession().user;
  const [typed, setTyped] = useState(() => typedOf(connection));
  const [checked, setChecked] = useState(false);
  const faults = faultsIn(typed, t);
  const save = useAction(async () => {
    const saved = await client.ssoConnections.change(organization_id, connection.id, bodyOf(typed));
    setTyped(typedOf(saved));
    setChecked(false);
    showToast(t.provider.saved);
    await reloadConnections();
  });
  const body = bodyOf(typed);
  const hasNewIssuer = body.issuer !== connection.issuer;
  const isOther = hasNewIssuer || body.client_id !== connection.client_id || typed.client_secret !== '';
  const isChanged = isOther || body.name !== connection.name;
  useUnsaved(isChanged && !save.busy);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (Object.keys(faults).length === 0) void save.run();
  };
  const secretHint = !connection.secret_set ? t.secretHint : hasNewIssuer ? t.secretLost : t.secretKept;
  return (
    <Panel title={t.provider.title} lead={t.provider.lead}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <ProviderFields value={typed} onChange={setTyped} faults={checked ? faults : {}} secretHint={secretHint} />
          <SaveRow
            warning={connection.status === 'active' && isOther && t.provider.ends}
            error={save.error}
            sentences={{ ...sentencesFor(save.error, t), conflict: t.required }}
            busy={save.busy}
            isChanged={isChanged}
          />
        </Stack>
      </form>
    </Panel>
  );
}
