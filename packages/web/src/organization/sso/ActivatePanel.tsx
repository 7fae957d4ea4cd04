import type { SsoConnection } from '@gatehouse/contract';
import { Anchor, Button, Text } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { ConfirmButton } from '../../app/ConfirmButton.tsx';
import { DangerPanel } from '../../app/DangerPanel.tsx';
import { useSession } from '../../app/session.ts';
import { showToast } from '../../app/toast-store.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useAction } from '../../ui/use-action.ts';
import { LIST, reloadConnections } from './query.ts';
import { useText } from './text.ts';

interface Props {
  readonly connection: SsoConnection;
}

/** Step 6: activates or deactivates the connection. */
export function ActivatePanel({ connection: { id, name, status, last_test } }: Props) {
  const t = useText();
  const { organization_id } = useSession().user;
  const activate = useAction(async () => {
    await client.ssoConnections.activate(organization_id, id);
    showToast(t.activate.done(name));
    await reloadConnections();
  });
  const deactivate = async () => {
    await client.ssoConnections.deactivate(organization_id, id);
    showToast(t.deactivate.done(name));
    await reloadConnections();
  };
  if (status === 'active') {
    return (
      <Panel title={t.activate.title} lead={t.activate.active}>
        <Text size="sm">
          {t.activate.rules}{' '}
          <Anchor component={Link} to="/organization/policy" size="sm" underline="always">
            {t.activate.toRules}
          </Anchor>
        </Text>
        <div>
          <ConfirmButton
            size="sm"
            title={t.deactivate.title(name)}
            question={t.deactivate.question}
            verb={t.deactivate.verb}
            sentences={{ conflict: t.required }}
            work={deactivate}
          />
        </div>
      </Panel>
    );
  }
  return (
    <Panel title={t.activate.title} lead={t.activate.draft}>
      <ErrorNote error={activate.error} sentences={{ conflict: t.activate.conflict }} />
      <div>
        <Button
          variant={last_test?.ok ? 'filled' : 'default'}
          loading={activate.busy}
          onClick={() => void activate.run()}
        >
          {t.activate.verb}
        </Button>
      </div>
    </Panel>
  );
}

export function DeletePanel({ connection: { id, name } }: Props) {
  const t = useText();
  const navigate = useNavigate();
  const { organization_id } = useSession().user;
  return (
    <DangerPanel
      title={t.remove.title}
      lead={t.remove.lead}
      ask={t.remove.ask(name)}
      verb={t.remove.verb}
      sentences={{ conflict: t.required }}
      typed={{ label: t.remove.type(name), text: name }}
      work={async () => {
        await client.ssoConnections.remove(organization_id, id);
        await navigate({ to: LIST });
        await reloadConnections();
        showToast(t.remove.done(name));
      }}
    />
  );
}
