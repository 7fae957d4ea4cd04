import { Center, Loader } from '@mantine/core';
import { useWords } from './words.ts';

export function Loading() {
  const t = useWords();
  return (
    <Center py="xl" role="status" aria-label={t.loading}>
      <Loader />
    </Center>
  );
}
