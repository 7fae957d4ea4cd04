import { Button, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Fact, Facts } from '../../app/Facts.tsx';
import { PageHead } from '../../app/PageHead.tsx';
import { goToSignIn, useHome, useMe } from '../../app/session.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { useText } from './text.ts';

export function SsoAccount() {
  const t = useText();
  const words = useWords();
  const { email, display_name } = useMe();
  const home = useHome();
  const organization = home?.organization_name ?? '';
  const leave = useAction(async () => {
    await client.session.signOut();
    goToSignIn();
  });
  return (
    <>
      <PageHead title={t.title} lead={t.lead(organization)} />
      <Stack>
        <Panel title={t.about}>
          <Facts>
            {display_name && <Fact name={t.name}>{display_name}</Fact>}
            <Fact name={t.email}>{email}</Fact>
            <Fact name={t.organization}>{organization}</Fact>
            {home && <Fact name={t.role}>{words.roles[home.role]}</Fact>}
          </Facts>
        </Panel>
        <Panel title={t.limits} lead={t.limitsLead(organization)}>
          <Text size="sm">{t.other}</Text>
          <ErrorNote error={leave.error} />
          <Group gap="sm">
            <Button component={Link} to="/organization/members">
              {t.toOrganization(organization)}
            </Button>
            <Button variant="default" loading={leave.busy} onClick={() => void leave.run()}>
              {t.signOut}
            </Button>
          </Group>
        </Panel>
      </Stack>
    </>
  );
}
