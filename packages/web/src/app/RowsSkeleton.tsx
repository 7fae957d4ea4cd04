import { Skeleton, Stack } from '@mantine/core';
import { useWords } from '../ui/words.ts';

const WIDTHS = ['70%', '55%', '80%', '60%'];

export function RowsSkeleton() {
  const t = useWords();
  return (
    <Stack gap="lg" py="xs" role="status" aria-label={t.loading}>
      {WIDTHS.map((width) => (
        <Stack key={width} gap={8}>
          <Skeleton height={14} width={width} />
          <Skeleton height={10} width="35%" />
        </Stack>
      ))}
    </Stack>
  );
}
