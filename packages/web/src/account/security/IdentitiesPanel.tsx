import { type OAuthProvider, PROVIDER_NAMES } from '@gatehouse/contract';
import { Button, Group } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { ConfirmButton } from '../../app/ConfirmButton.tsx';
import { Dimmed } from '../../app/Dimmed.tsx';
import { Empty } from '../../app/Empty.tsx';
import { queries } from '../../app/query.ts';
import { IDENTITIES, SIGN_IN_OPTIONS } from '../../app/step-up/sign-in-methods.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { ProviderMark } from '../../ui/ProviderMark.tsx';
import { useAction } from '../../ui/use-action.ts';
import { FactAt, Facts } from '../Facts.tsx';
import { Item } from '../Item.tsx';
import { Items } from '../Items.tsx';
import { useText } from './text.ts';

export function IdentitiesPanel() {
  const t = useText().identities;
  const { items } = useSuspenseQuery(IDENTITIES).data;
  const { oauth: offered } = useSuspenseQuery(SIGN_IN_OPTIONS).data;
  // The provider authenticates the user and redirects back here, or after a failure to the sign-in page.
  const link = useAction(async (provider: OAuthProvider) => {
    const { authorization_url } = await client.identities.link(provider, '/account/security');
    location.assign(authorization_url);
  });
  const unlink = async (id: string) => {
    await client.identities.unlink(id);
    await queries.invalidateQueries({ queryKey: IDENTITIES.queryKey });
  };
  if (items.length === 0 && offered.length === 0) {
    return (
      <Panel title={t.title}>
        <Dimmed>{t.nothingOffered}</Dimmed>
      </Panel>
    );
  }
  return (
    <Panel title={t.title} lead={t.lead}>
      {items.length === 0 ? (
        <Empty icon="plug" title={t.none}>
          {t.noneHint}
        </Empty>
      ) : (
        <Items label={t.list}>
          {items.map(({ id, provider, email, linked_at, last_used_at }) => (
            <Item
              key={id}
              icon={<ProviderMark provider={provider} />}
              title={PROVIDER_NAMES[provider]}
              actions={
                <ConfirmButton
                  label={t.unlinkLabel(PROVIDER_NAMES[provider])}
                  title={t.unlinkTitle(PROVIDER_NAMES[provider])}
                  question={t.unlinkQuestion(PROVIDER_NAMES[provider])}
                  verb={t.unlink}
                  work={() => unlink(id)}
                  sentences={{ conflict: t.lastWayIn }}
                />
              }
            >
              <Facts>
                {email && <span key="email">{email}</span>}
                <FactAt name={t.since} at={linked_at} />
                <FactAt name={t.lastUsed} at={last_used_at} />
              </Facts>
            </Item>
          ))}
        </Items>
      )}
      <ErrorNote error={link.error} sentences={{ not_found: t.gone }} />
      <Group gap="xs">
        {offered.map(({ provider, name }) => (
          <Button
            key={provider}
            variant="default"
            size="xs"
            leftSection={<ProviderMark provider={provider} size={16} />}
            disabled={link.busy}
            onClick={() => void link.run(provider)}
          >
            {t.link(name)}
          </Button>
        ))}
      </Group>
    </Panel>
  );
}
