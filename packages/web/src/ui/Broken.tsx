import { Button, Stack, Text, Title } from '@mantine/core';
import { useWords } from './words.ts';

export function Broken() {
  const t = useWords();
  return (
    <Stack component="main" align="flex-start" p="xl" maw="40rem" mx="auto">
      <Title order={1} size="h2">
        {t.brokenTitle}
      </Title>
      <Text>{t.broken}</Text>
      <Button onClick={() => location.reload()}>{t.reload}</Button>
    </Stack>
  );
}
