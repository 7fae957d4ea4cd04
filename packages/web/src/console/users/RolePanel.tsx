import type { User } from '@gatehouse/contract';
import { Button, Group, Radio, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { queries } from '../../app/query.ts';
import { reloadSession, usePlatformRole, useSession } from '../../app/session.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useAction } from '../../ui/use-action.ts';
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
  const [chosen, setChosen] = useState<Choice>();
  const [done, setDone] = useState(false);
  const choice = chosen ?? current;
  const save = useAction(async () => {
    await client.users.changePlatformRole(user.id, choice === 'none' ? null : choice);
    await Promise.all([queries.invalidateQueries({ queryKey: ['users'] }), isMe && reloadSession()]);
    setChosen(undefined);
    setDone(true);
  });
  const choose = (value: string) => {
    setChosen(value as Choice);
    setDone(false);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save.run();
  };
  if (!isOwner || user.status === 'deleted') return null;
  // An inactive account can only lose its role: a new one would apply as soon as the account is enabled again.
  const isOpen = (to: Choice) => user.status === 'active' || to === current || to === 'none';
  return (
    <Panel title={t.platformRole} lead={t.roleLead}>
      <form onSubmit={submit}>
        <Stack>
          <Radio.Group aria-label={t.platformRole} value={choice} onChange={choose}>
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
          {user.status === 'disabled' && (
            <Text size="sm" c="dimmed">
              {t.roleDisabled}
            </Text>
          )}
          <ErrorNote error={save.error} sentences={{ conflict: t.roleClash, forbidden: t.rankChanged }} />
          <Group>
            <Button type="submit" loading={save.busy} disabled={choice === current}>
              {words.save}
            </Button>
            <Text size="sm" role="status">
              {done && t.roleSaved}
            </Text>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}
