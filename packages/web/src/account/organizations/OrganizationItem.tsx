import type { Membership } from '@gatehouse/contract';
import { Button } from '@mantine/core';
import { ConfirmButton } from '../../app/ConfirmButton.tsx';
import { useMe } from '../../app/session.ts';
import { Tag } from '../../app/Tag.tsx';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Moment } from '../../ui/Moment.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { Facts } from '../Facts.tsx';
import { Item } from '../Item.tsx';
import { useText } from './text.ts';

interface Props {
  readonly membership: Membership;
  /** The session is in it. */
  readonly isHere: boolean;
  /** There is no other to go to. */
  readonly isOnly: boolean;
}

export function OrganizationItem({ membership, isHere, isOnly }: Props) {
  const t = useText();
  const words = useWords();
  const me = useMe();
  const { organization_id, organization_name: name, organization_slug: slug, role, joined_at } = membership;
  // A new session: everything on the page was of the old one.
  const change = useAction(async () => {
    await client.session.switchOrganization(organization_id);
    location.assign('/account/organizations');
  });
  const leave = async () => {
    await client.members.remove(organization_id, me.id);
    location.assign(
      isOnly ? '/signed-out' : `/sign-in?${new URLSearchParams({ redirect_to: '/account/organizations' })}`,
    );
  };
  const action = isHere ? (
    <ConfirmButton
      label={t.leaveLabel(name)}
      title={t.leaveTitle(name)}
      question={`${t.leaveQuestion(name)} ${isOnly ? '' : t.leaveOthers}`}
      verb={t.leave}
      work={leave}
      sentences={{ conflict: me.platform_role === 'owner' ? t.lastPlatformOwner : t.lastOwner }}
    >
      {t.leave}
    </ConfirmButton>
  ) : (
    <Button
      variant="default"
      size="xs"
      aria-label={t.switchLabel(name)}
      loading={change.busy}
      onClick={() => void change.run()}
    >
      {t.switch}
    </Button>
  );
  return (
    <Item
      icon="building"
      title={name}
      badges={
        isHere && (
          <Tag marked tone="good">
            {t.current}
          </Tag>
        )
      }
      actions={action}
    >
      <Facts>
        <span key="role">{t.role(words.roles[role])}</span>
        <span key="since">
          {t.since} <Moment at={joined_at} />
        </span>
        <span key="slug">{slug}</span>
      </Facts>
      <ErrorNote error={change.error} sentences={{ forbidden: t.refused }} />
    </Item>
  );
}
