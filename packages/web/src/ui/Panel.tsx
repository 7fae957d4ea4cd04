import { Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import classes from './Panel.module.css';

interface Props {
  readonly title?: string;
  readonly lead?: ReactNode;
  readonly children: ReactNode;
}

export function Panel({ title, lead, children }: Props) {
  const id = useId();
  return (
    <section className={classes.panel} aria-labelledby={title ? id : undefined}>
      <Stack gap="md">
        {title && (
          <div>
            <Title order={2} size="h4" id={id}>
              {title}
            </Title>
            {lead && (
              <Text c="dimmed" size="sm" component="div">
                {lead}
              </Text>
            )}
          </div>
        )}
        {children}
      </Stack>
    </section>
  );
}
