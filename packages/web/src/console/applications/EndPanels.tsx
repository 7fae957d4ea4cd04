import type { Application } from '@gatehouse/contract';
import { useNavigate } from '@tanstack/react-router';
import { DangerPanel } from '../../app/DangerPanel.tsx';
import { queries } from '../../app/query.ts';
import { showToast } from '../../app/toast-store.ts';
import { client } from '../../ui/client.ts';
import { APPLICATIONS_QUERY, reloadApplications } from './query.ts';
import { useText } from './text.ts';

export function EndPanels({ application: { id, name, enabled } }: { application: Application }) {
  const t = useText();
  const navigate = useNavigate();
  const state = enabled ? t.disable : t.enable;
  return (
    <>
      <DangerPanel
        title={state.title}
        lead={state.lead}
        ask={state.ask(name)}
        verb={state.verb}
        danger={enabled}
        work={async () => {
          await client.applications.change(id, { enabled: !enabled });
          await reloadApplications();
        }}
      />
      <DangerPanel
        title={t.remove.title}
        lead={t.remove.lead}
        ask={t.remove.ask(name)}
        verb={t.remove.verb}
        typed={{ label: t.remove.type(name), text: name }}
        work={async () => {
          await client.applications.remove(id);
          await navigate({ to: '/console/applications' });
          await queries.invalidateQueries({ queryKey: APPLICATIONS_QUERY.queryKey, exact: true });
          showToast(t.remove.removed(name));
        }}
      />
    </>
  );
}
