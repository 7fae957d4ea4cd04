import type { Application } from '@gatehouse/contract';
import { useNavigate } from '@tanstack/react-router';
import { ConfirmButton } from '../../app/ConfirmButton.tsx';
import { queries } from '../../app/query.ts';
import { showToast } from '../../app/toast-store.ts';
import { client } from '../../ui/client.ts';
import { Panel } from '../../ui/Panel.tsx';
import { APPLICATIONS_QUERY, reloadApplications } from './query.ts';
import { useText } from './text.ts';

export function EndPanels({ application: { id, name, enabled } }: { application: Application }) {
  const t = useText();
  const navigate = useNavigate();
  const state = enabled ? t.disable : t.enable;
  const change = async () => {
    await client.applications.change(id, { enabled: !enabled });
    await reloadApplications();
  };
  const remove = async () => {
    await client.applications.remove(id);
    await navigate({ to: '/console/applications' });
    await queries.invalidateQueries({ queryKey: APPLICATIONS_QUERY.queryKey, exact: true });
    showToast(t.remove.removed(name));
  };
  return (
    <>
      <Panel title={state.title} lead={state.lead}>
        <div>
          <ConfirmButton
            size="sm"
            {...(enabled && { color: 'red', variant: 'outline' })}
            title={state.ask(name)}
            question={state.lead}
            verb={state.verb}
            danger={enabled}
            work={change}
          >
            {state.verb}
          </ConfirmButton>
        </div>
      </Panel>
      <Panel title={t.remove.title} lead={t.remove.lead}>
        <div>
          <ConfirmButton
            size="sm"
            color="red"
            variant="outline"
            title={t.remove.ask(name)}
            question={t.remove.lead}
            verb={t.remove.verb}
            typed={{ label: t.remove.type(name), text: name }}
            work={remove}
          >
            {t.remove.verb}
          </ConfirmButton>
        </div>
      </Panel>
    </>
  );
}
