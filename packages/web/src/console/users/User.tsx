import { Button, Stack } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Missing, nullWhenMissing } from '../../app/Missing.tsx';
import { PageHead } from '../../app/PageHead.tsx';
import { filteredBy } from '../../app/search.ts';
import { client } from '../../ui/client.ts';
import { AboutPanel } from './AboutPanel.tsx';
import { AccessPanel } from './AccessPanel.tsx';
import { MembershipPanel } from './MembershipPanel.tsx';
import { RolePanel } from './RolePanel.tsx';
import { useText } from './text.ts';

export function Page() {
  const text = useText();
  const t = text.users;
  const { id } = useParams({ strict: false }) as { id: string };
  const { data: user } = useSuspenseQuery({
    queryKey: ['users', id],
    queryFn: () => client.users.read(id).catch(nullWhenMissing),
  });
  if (!user)
    return <Missing icon="user" title={t.missingTitle} hint={t.missing} to="/console/users" label={t.toList} />;
  return (
    <>
      <PageHead
        above={{ to: '/console/users', label: t.title }}
        title={user.display_name || user.email}
        actions={
          <Button variant="default" component={Link} to="/console/audit" search={filteredBy({ user_id: user.id })}>
            {text.audit}
          </Button>
        }
      />
      <Stack key={user.id}>
        <AboutPanel user={user} />
        <MembershipPanel user={user} />
        <RolePanel user={user} />
        <AccessPanel user={user} />
      </Stack>
    </>
  );
}
