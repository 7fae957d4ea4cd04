import { Button, Stack, Text, Title } from '@mantine/core';

/** The texts are in this file, because loading the text modules may be what failed. */
const WORDS = {
  en: {
    title: 'This page has stopped working',
    text: 'An unexpected error occurred on this page. Reloading it usually helps. Nothing you have saved is lost.',
    reload: 'Reload the page',
  },
  de: {
    title: 'Diese Seite funktioniert nicht mehr',
    text: 'In dieser Seite ist etwas Unerwartetes passiert. Meist hilft es, sie neu zu laden; was Sie gespeichert haben, ist nicht verloren.',
    reload: 'Seite neu laden',
  },
};

export function Broken() {
  const t = WORDS[document.documentElement.lang === 'de' ? 'de' : 'en'];
  return (
    <Stack component="main" align="flex-start" p="xl" maw="40rem" mx="auto">
      <Title order={1} size="h2">
        {t.title}
      </Title>
      <Text>{t.text}</Text>
      <Button onClick={() => location.reload()}>{t.reload}</Button>
    </Stack>
  );
}
