import { Code, Group } from '@mantine/core';
import { Fact, Facts } from '../../app/Facts.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useText } from './text.ts';

const ISSUER = `${location.origin}/oauth`;
const ADDRESSES = [
  ['issuer', ISSUER],
  ['discovery', `${ISSUER}/.well-known/openid-configuration`],
  ['authorize', `${ISSUER}/authorize`],
  ['token', `${ISSUER}/token`],
  ['userinfo', `${ISSUER}/userinfo`],
  ['jwks', `${ISSUER}/jwks.json`],
] as const;

export function ConnectPanel() {
  const t = useText().connect;
  return (
    <Panel title={t.title} lead={t.lead}>
      <Facts>
        {ADDRESSES.map(([name, address]) => (
          <Fact key={name} name={t.names[name]}>
            <Group gap="xs">
              <Code style={{ overflowWrap: 'anywhere' }}>{address}</Code>
              <CopyButton value={address} size="compact-xs" aria-label={t.copy(t.names[name])} />
            </Group>
          </Fact>
        ))}
      </Facts>
    </Panel>
  );
}
