import { describeScope } from '../../applications/scopes.ts';
import { useScopeText } from '../../applications/text.ts';
import { Frame } from '../Frame.tsx';
import { Item, Items } from '../reclaim/Items.tsx';
import { Choice } from './Choice.tsx';
import type { StepProps } from './step-props.ts';
import { useText } from './text.ts';

/** Who asks, for what, in which organization. */
export function Consent({ interaction: { application, scopes, organizations }, session, decide }: StepProps) {
  const t = useText();
  const words = useScopeText();
  const name = application?.name ?? t.fallbackName;
  const [organization] = organizations;
  // Every application that signs users in has it, so it only stands alone.
  const shown = scopes.filter((scope) => scope !== 'openid');
  return (
    <Frame
      title={t.consent.title(name)}
      lead={
        <>
          {t.signedInAs(session.user.email)} {organization && t.organization(organization.name)}
        </>
      }
    >
      <p>{t.consent.lead(name)}</p>
      <Items label={t.consent.list}>
        {shown.length === 0 && <Item title={scopes.length > 0 ? words.openid : t.consent.nothing} />}
        {shown.map((scope) => (
          <Item key={scope} title={describeScope(scope, words)} />
        ))}
      </Items>
      <p className="small">{t.consent.later}</p>
      <Choice
        deny={t.consent.deny}
        allow={t.consent.allow}
        onDeny={() => decide('deny')}
        onAllow={() => decide('allow')}
      />
    </Frame>
  );
}
