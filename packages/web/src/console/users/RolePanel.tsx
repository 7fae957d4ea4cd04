import type { User } from '@gatehouse/contract';
import { Button, Group, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Dimmed } from '../../app/Dimmed.tsx';
import { queries } from '../../app/query.ts';
import { reloadSession, usePlatformRole, useSession } from '../../app/session.ts';
import { useForm } from '../../app/use-form.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useWords } from '../../ui/words.ts';
import { useText } from './text.ts';

const CHOICES = ['none', 'viewer', 'admin', 'owner'] as const;
type Choice = (typeof CHOICES)[number];

export function RolePanel({ user }: { user: User }) {
  const words = useWords();
  const t = useText().user;
  const isOwner = usePlatformRole('owner');
  const isMe = useSession().user.user_id === user.id;
  const current: Choice = user.platform_role ?? 'none';
  const [done, setDone] = useState(false);
  const form = useForm({
    values: { role: current },
    guarded: false,
    send: async ({ role }, reset) => {
      await client.users.changePlatformRole(user.id, role === 'none' ? null : role);
      await Promise.all([queries.invalidateQueries({ queryKey: ['users'] }), isMe && reloadSession()]);
      reset();
      setDone(true);
    },
  });
  if (!isOwner || user.status === 'deleted') return null;
  // An inactive account can only lose its role: a new one would apply as soon as the account is enabled again.
  const isOpen = (to: Choice) => user.status === 'active' || to === current || to === 'none';
  return (
    <Panel title={t.platformRole} lead={t.roleLead}>
      <form {...form.props}>
        <Stack>
          <Radio.Group aria-label={t.platformRole} {...form.field('role')}>
            <Stack gap="sm">
              {CHOICES.map((value) => (
                <Radio
                  key={value}
                  value={value}
                  label={value === 'none' ? t.noRole : words.platformRoles[value]}
                  description={t.roleHints[value]}
                  disabled={!isOpen(value)}
                />
              ))}
            </Stack>
          </Radio.Group>
          {user.status === 'disabled' && <Dimmed>{t.roleDisabled}</Dimmed>}
          <ErrorNote error={form.error} sentences={{ conflict: t.roleClash, forbidden: t.rankChanged }} />
          <Group>
            <Button type="submit" loading={form.busy} disabled={!form.isChanged}>
              {words.save}
            </Button>
            <Text size="sm" role="status">
              {done && !form.isChanged && t.roleSaved}
            </Text>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}
