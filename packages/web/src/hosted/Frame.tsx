import { Anchor, Box, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { BrandLinks, BrandMark } from '../ui/Brand.tsx';
import { Preferences } from '../ui/Preferences.tsx';
import { settings } from '../ui/settings.ts';
import classes from './Frame.module.css';
import { Heading } from './Heading.tsx';
import { useText } from './text.ts';

interface Props {
  /** Absent while the page is loading. */
  readonly title?: string;
  /** One sentence below the title. */
  readonly lead?: ReactNode;
  readonly children?: ReactNode;
  /** Links to other pages. */
  readonly below?: ReactNode;
  readonly wide?: boolean;
}

/** A hosted page, or one step of it: a centred card with one task. */
export function Frame({ title, lead, children, below, wide = false }: Props) {
  const t = useText();
  return (
    <Box className={classes.frame}>
      <Group component="header" gap="xs" justify="center">
        <Anchor href="/" className={classes.mark} underline="never">
          <BrandMark />
        </Anchor>
      </Group>
      <main className={classes.card} data-wide={wide || undefined}>
        <Stack gap="md">
          {title && <Heading title={title} lead={lead} />}
          {children}
        </Stack>
      </main>
      {below && (
        <Text size="sm" component="div" className={classes.below}>
          {below}
        </Text>
      )}
      <Group component="footer" justify="center" gap="md" className={classes.footer}>
        <Preferences />
        <BrandLinks />
        {settings.development && (
          <Anchor href="/dev/mail" size="xs" inherit={false}>
            {t.sentMails}
          </Anchor>
        )}
      </Group>
    </Box>
  );
}
