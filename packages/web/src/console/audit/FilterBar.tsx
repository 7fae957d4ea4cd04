import { SimpleGrid } from '@mantine/core';
import { useFilters } from '../../app/search.ts';
import { UserSelect } from '../UserSelect.tsx';
import { isUuid } from '../uuid.ts';
import { ActionSelect } from './ActionSelect.tsx';
import { MomentField } from './MomentField.tsx';
import { useText } from './text.ts';

/** What is looked for, each change at once, in the address. */
export function FilterBar() {
  const t = useText();
  const [{ user_id, action, from, to }, setFilters] = useFilters();
  const choose = (change: Record<string, string | undefined>) => setFilters({ ...change, page: undefined });
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} role="search" aria-label={t.filters}>
      <ActionSelect value={action} onChange={(next) => choose({ action: next })} />
      <UserSelect
        label={t.user}
        placeholder={t.anyUser}
        value={isUuid(user_id) ? user_id : undefined}
        onChange={(next) => choose({ user_id: next })}
      />
      <MomentField label={t.from} value={from} end="first" onChange={(next) => choose({ from: next })} />
      <MomentField label={t.to} value={to} end="last" onChange={(next) => choose({ to: next })} />
    </SimpleGrid>
  );
}
