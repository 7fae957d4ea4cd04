import type { Membership } from '@gatehouse/contract';
import { Button } from '@mantine/core';
import { Dimmed } from '../../app/Dimmed.tsx';
import { LeaveButton, useLeaveHint } from '../../app/LeaveButton.tsx';
import { Tag } from '../../app/Tag.tsx';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { FactAt, Facts } from '../Facts.tsx';
import { Item } from '../Item.tsx';
import { useText } from './text.ts';

interface Props {
  readonly membership: Membership;
  /** Whether the session belongs to this organization. */
  readonly isCurrent: boolean;
}

export function OrganizationItem({ membership, isCurrent }: Props) {
  const t = useText();
  const words = useWords();
  const leaveHint = useLeaveHint();
  const { organization_id, organization_name: name, organization_slug: slug, role, joined_at } = membership;
  // Loads the page again: everything on it belongs to the old session.
  const change = useAction(async () => {
    await client.session.switchOrganization(organization_id);
    location.assign('/account/organizations');
  });
  const action = isCurrent ? (
    <LeaveButton />
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
        isCurrent && (
          <Tag marked tone="good">
            {t.current}
          </Tag>
        )
      }
      actions={action}
    >
      <Facts>
        <span key="role">{t.role(words.roles[role])}</span>
        <FactAt name={t.since} at={joined_at} />
        <span key="slug">{slug}</span>
      </Facts>
      {isCurrent && leaveHint && <Dimmed>{leaveHint}</Dimmed>}
      <ErrorNote error={change.error} sentences={{ forbidden: t.refused }} />
    </Item>
  );
}
