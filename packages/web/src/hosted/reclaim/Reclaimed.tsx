import type { SessionUser } from '@gatehouse/contract';
import { useCallback } from 'react';
import { client } from '../../ui/client.ts';
import { useLanguage } from '../../ui/language.tsx';
import { useWords } from '../../ui/words.ts';
import { Frame } from '../Frame.tsx';
import { Loaded } from '../Loaded.tsx';
import { ButtonLink } from '../parts/Button.tsx';
import { useResultText } from '../results/text.ts';
import { Item, Items } from './Items.tsx';

const MAX_SHOWN = 10;

interface Props {
  readonly user: SessionUser;
  readonly target: string;
}

/** Everything unproven was removed. Other members of the account's organizations stay, so they are shown. */
export function Reclaimed({ user, target }: Props) {
  const t = useResultText().reclaim;
  const words = useWords();
  const { language } = useLanguage();
  const load = useCallback(() => findOthers(user), [user]);
  return (
    <Loaded load={load}>
      {({ organization, members, more, elsewhere }) => (
        <Frame title={t.doneTitle} lead={t.done}>
          {members.length > 0 && (
            <>
              <p id="members">
                {t.members(organization)}. {t.membersAdvice}
              </p>
              <Items label={t.members(organization)}>
                {members.map(({ user_id, display_name, email, role }) => (
                  <Item
                    key={user_id}
                    title={display_name ?? email}
                    detail={display_name ? `${email}, ${words.roles[role]}` : words.roles[role]}
                  />
                ))}
                {more > 0 && <Item title={t.more(more)} />}
              </Items>
              <a href="/organization/members">{t.toMembers}</a>
            </>
          )}
          {elsewhere.length > 0 && <p>{t.organizations(new Intl.ListFormat(language).format(elsewhere))}</p>}
          <ButtonLink href={target}>{words.continue}</ButtonLink>
          <ButtonLink href="/account/security" variant="default">
            {t.setPassword}
          </ButtonLink>
        </Frame>
      )}
    </Loaded>
  );
}

async function findOthers({ user_id, organization_id }: SessionUser) {
  const [{ memberships }, { items, total }] = await Promise.all([
    client.account.read(),
    client.members.list(organization_id, { page_size: MAX_SHOWN + 1 }),
  ]);
  const members = items.filter((member) => member.user_id !== user_id).slice(0, MAX_SHOWN);
  const nameOf = (id: string) => memberships.find((membership) => membership.organization_id === id)?.organization_name;
  return {
    organization: nameOf(organization_id) ?? '',
    members,
    more: total - 1 - members.length,
    elsewhere: memberships
      .filter((membership) => membership.organization_id !== organization_id)
      .map(({ organization_name }) => organization_name),
  };
}
