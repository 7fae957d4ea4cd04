import { Anchor, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { PROVIDERS_QUERY } from '../providers/query.ts';
import { useConsoleText } from '../text.ts';
import { useText } from './text.ts';

/** Those that are on and cannot be applied, each with its reason. */
export function DegradedProviders() {
  const t = useText();
  const shared = useConsoleText();
  const { data } = useQuery(PROVIDERS_QUERY);
  const degraded = data?.providers.filter((provider) => provider.degraded) ?? [];
  if (degraded.length === 0) return null;
  return (
    <div>
      <Text fw={600} size="sm">
        {t.degradedTitle}
      </Text>
      <List size="sm">
        {degraded.map(({ provider, name, degraded_reason }) => (
          <List.Item key={provider}>
            <Anchor component={Link} to={`/console/providers/${provider}`} inherit>
              {name}
            </Anchor>
            : {degraded_reason && shared.degraded[degraded_reason].why}
          </List.Item>
        ))}
      </List>
    </div>
  );
}
