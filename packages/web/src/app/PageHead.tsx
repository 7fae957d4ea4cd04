import { Anchor, Group, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTitle } from '../ui/title.ts';
import classes from './PageHead.module.css';

interface Props {
  readonly title: string;
  readonly lead?: ReactNode;
  /** A link to the list that this page belongs to. */
  readonly above?: { readonly to: string; readonly label: string };
  readonly actions?: ReactNode;
}

/** The top of every page: its only h1, which is also the title of the tab. */
export function PageHead({ title, lead, above, actions }: Props) {
  useTitle(title);
  return (
    <div className={classes.head}>
      <div className={classes.words}>
        {above && (
          <Anchor component={Link} to={above.to} size="sm">
            <span aria-hidden="true">← </span>
            {above.label}
          </Anchor>
        )}
        <Title order={1} size="h2">
          {title}
        </Title>
        {lead && (
          <Text c="dimmed" component="div">
            {lead}
          </Text>
        )}
      </div>
      {actions && <Group gap="sm">{actions}</Group>}
    </div>
  );
}
