import { Button, Group, Text } from '@mantine/core';
import { useWords } from '../ui/words.ts';
import { useFilters } from './search.ts';

interface Props {
  readonly total: number;
  readonly page: number;
  readonly page_size: number;
}

export function Pager({ total, page, page_size }: Props) {
  const t = useWords();
  const [, setFilters] = useFilters();
  const pages = Math.max(1, Math.ceil(total / page_size));
  if (pages === 1 && page === 1) return null;
  const go = (to: number) => setFilters({ page: to === 1 ? undefined : String(to) });
  // On the first and last page the button is inert but not disabled, so that it keeps the focus.
  const buttonProps = (to: number) =>
    to < 1 || to > pages ? { 'data-disabled': true, 'aria-disabled': true } : { onClick: () => go(to) };
  return (
    <Group component="nav" justify="center" aria-label={t.page(page, pages)} mt="md">
      <Button variant="default" size="xs" {...buttonProps(Math.min(page, pages + 1) - 1)}>
        {t.previousPage}
      </Button>
      <Text size="sm" aria-live="polite">
        {t.page(page, pages)}
      </Text>
      <Button variant="default" size="xs" {...buttonProps(page + 1)}>
        {t.nextPage}
      </Button>
    </Group>
  );
}
