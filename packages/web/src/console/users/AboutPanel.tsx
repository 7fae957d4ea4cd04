import type { User } from '@gatehouse/contract';
import { Group } from '@mantine/core';
import { CopyableId } from '../../app/CopyableId.tsx';
import { Face } from '../../app/Face.tsx';
import { Fact, Facts } from '../../app/Facts.tsx';
import { Tag } from '../../app/Tag.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useWords } from '../../ui/words.ts';
import { StatusTag } from './StatusTag.tsx';
import { useText } from './text.ts';

export function AboutPanel({ user }: { user: User }) {
  const words = useWords();
  const text = useText();
  const t = text.user;
  return (
    <Panel title={t.about}>
      <Group align="flex-start" gap="lg">
        <Face name={user.display_name || user.email} src={user.avatar_url} size={72} />
        <div style={{ flex: '1 1 18rem', minWidth: 0 }}>
          <Facts>
            <Fact name={t.email}>
              <Group gap="xs">
                {user.email}
                {user.email_verified ? <Tag tone="good">{t.verified}</Tag> : <Tag tone="warn">{t.unverified}</Tag>}
              </Group>
            </Fact>
            <Fact name={t.name}>{user.display_name ?? t.noneGiven}</Fact>
            <Fact name={text.status}>
              <StatusTag status={user.status} />
            </Fact>
            <Fact name={t.platformRole}>{user.platform_role ? words.platformRoles[user.platform_role] : t.noRole}</Fact>
            <Fact name={t.twoSteps}>{user.mfa_enabled ? <Tag tone="good">{t.on}</Tag> : <Tag>{t.off}</Tag>}</Fact>
            <Fact name={t.password}>{user.has_password ? t.hasPassword : t.hasNone}</Fact>
            <Fact name={t.passwordChanged} at={user.last_password_change_at} />
            <Fact name={t.language}>{user.locale ?? t.noneGiven}</Fact>
            <Fact name={t.lastSignIn} at={user.last_login_at} />
            <Fact name={text.created} at={user.created_at} />
            <Fact name={t.changed} at={user.updated_at} />
            <Fact name={text.id}>
              <CopyableId id={user.id} />
            </Fact>
          </Facts>
        </div>
      </Group>
    </Panel>
  );
}
