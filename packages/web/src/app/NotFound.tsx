import { Button, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useText } from './text.ts';

export function NotFound() {
  const t = useText();
  return (
    <Stack align="flex-start">
      <Title order={1} size="h2">
        {t.notFoundTitle}
      </Title>
      <Text>{t.notFound}</Text>
      <Button component={Link} to="/account">
        {t.toAccount}
      </Button>
    </Stack>
  );
}
