import type { PolicyChange, PolicyPreview } from '@gatehouse/contract';
import { List, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { client } from '../../ui/client.ts';
import { useText } from '../text.ts';

const RULES = [
  'require_mfa',
  'sso_required',
  'allowed_methods',
  'session_max_age_seconds',
  'allowed_networks',
] as const;
const TYPING_MS = 400;

interface Props {
  readonly organization_id: string;
  readonly policy: PolicyChange;
  readonly isShown: boolean;
}

/** Whom the rules would affect, counted before they are saved. Nothing is shown while a value is incomplete. */
export function Affected({ organization_id, policy, isShown }: Props) {
  const [settled] = useDebouncedValue(JSON.stringify(policy), TYPING_MS);
  const { data } = useQuery({
    queryKey: ['policy', organization_id, 'preview', settled],
    queryFn: () => client.organization.previewPolicy(organization_id, JSON.parse(settled) as PolicyChange),
    enabled: isShown,
    placeholderData: keepPreviousData,
  });
  return <div role="status">{isShown && data && <Counts counts={data} />}</div>;
}

function Counts({ counts }: { counts: PolicyPreview }) {
  const t = useText().policy;
  const affected = RULES.filter((rule) => counts[rule] > 0);
  if (affected.length === 0) return null;
  return (
    <List size="sm">
      {affected.map((rule) => (
        <List.Item key={rule}>
          <Text size="sm">{t.affected[rule](counts[rule], counts.members)}</Text>
        </List.Item>
      ))}
    </List>
  );
}
