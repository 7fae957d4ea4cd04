import type { AuditRow } from '@gatehouse/contract';
import { Anchor, Code } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fact, Facts } from '../app/Facts.tsx';
import { organizationQuery } from '../app/names.ts';
import { Tag } from '../app/Tag.tsx';
import { isUuid } from '../app/uuid.ts';
import { useLanguage } from '../ui/language.tsx';
import { useAuditSource } from './source.ts';
import { useText } from './text.ts';
import { outcomeName } from './words.ts';

const PLACES: Readonly<Record<string, string>> = {
  user: '/console/users',
  organization: '/console/organizations',
  integration: '/console/providers',
};

const isLinkable = ({ resource_type, resource_id }: AuditRow): boolean =>
  resource_type === 'integration' || isUuid(resource_id);

export function EventFacts({ row }: { row: AuditRow }) {
  const text = useText();
  const t = text.detail;
  const { language } = useLanguage();
  const { hasConsole, UserName, anonymous } = useAuditSource();
  const place = hasConsole && isLinkable(row) ? PLACES[row.resource_type] : undefined;
  return (
    <Facts>
      <Fact name={t.time}>
        <time dateTime={row.timestamp}>
          {new Date(row.timestamp).toLocaleString(language, { dateStyle: 'long', timeStyle: 'long' })}
        </time>
      </Fact>
      <Fact name={text.outcome}>
        <Tag marked tone={row.outcome === 'success' ? 'good' : 'bad'}>
          {outcomeName(row.outcome, text)}
        </Tag>
      </Fact>
      <Fact name={t.rawAction}>
        <Code>{row.action}</Code>
      </Fact>
      <Fact name={t.actor}>
        {row.actor_id === null ? (
          anonymous(row)
        ) : !hasConsole ? (
          <UserName id={row.actor_id} />
        ) : (
          <Anchor component={Link} to={`/console/users/${row.actor_id}`} inherit>
            <UserName id={row.actor_id} />
          </Anchor>
        )}
      </Fact>
      {hasConsole && (
        <Fact name={t.organization}>
          <OrganizationName id={row.organization_id} />
        </Fact>
      )}
      <Fact name={t.resource}>
        {row.resource_type}:{' '}
        {place ? (
          <Anchor component={Link} to={`${place}/${row.resource_id}`} inherit>
            {row.resource_id}
          </Anchor>
        ) : (
          row.resource_id
        )}
      </Fact>
      <Fact name={t.ip}>{row.ip_address ?? t.unknown}</Fact>
      <Fact name={t.browser}>{row.user_agent ?? t.unknown}</Fact>
      <Fact name={t.request}>{row.request_id ? <Code>{row.request_id}</Code> : t.unknown}</Fact>
      <Fact name={t.event}>
        <Code>{row.event_id}</Code>
      </Fact>
      <Fact name={t.number}>{row.id}</Fact>
    </Facts>
  );
}

/** The organization id of events that concern no organization. */
const NIL = '00000000-0000-0000-0000-000000000000';

function OrganizationName({ id }: { id: string }) {
  const t = useText().detail;
  const isNone = id === NIL;
  const { data } = useQuery(organizationQuery(isNone ? undefined : id));
  if (isNone) return t.noOrganization;
  return (
    <Anchor component={Link} to={`/console/organizations/${id}`} inherit>
      {data?.name ?? id}
    </Anchor>
  );
}
