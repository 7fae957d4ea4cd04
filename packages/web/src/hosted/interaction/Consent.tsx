import { useState } from 'react';
import { describeScope } from '../../applications/scopes.ts';
import { useScopeText } from '../../applications/text.ts';
import { Frame } from '../Frame.tsx';
import { Item, Items } from '../reclaim/Items.tsx';
import { Choice } from './Choice.tsx';
import { OrganizationField } from './OrganizationField.tsx';
import type { StepProps } from './step-props.ts';
import { useText } from './text.ts';

export function Consent({ interaction: { application, scopes, organizations }, session, decide }: StepProps) {
  const t = useText();
  const words = useScopeText();
  const name = application?.name ?? t.fallbackName;
  const [chosen, setChosen] = useState(organizations[0]?.id);
  // Every application that signs users in requests `openid`, so it is shown only if there is no other scope.
  const shown = scopes.filter((scope) => scope !== 'openid');
  return (
    <Frame title={t.consent.title(name)} lead={t.signedInAs(session.user.email)}>
      <p>{t.consent.lead(name)}</p>
      <Items label={t.consent.list}>
        {shown.length === 0 && <Item title={scopes.length > 0 ? describeScope('openid', words) : t.consent.nothing} />}
        {shown.map((scope) => (
          <Item key={scope} title={describeScope(scope, words)} />
        ))}
      </Items>
      <OrganizationField organizations={organizations} value={chosen} onChange={setChosen} />
      <p className="small">{t.consent.later}</p>
      <Choice
        deny={t.consent.deny}
        allow={t.consent.allow}
        onDeny={() => decide('deny')}
        onAllow={() => decide('allow', chosen)}
      />
    </Frame>
  );
}
