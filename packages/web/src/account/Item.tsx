import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '../ui/Icon.tsx';
import classes from './Item.module.css';

interface Props {
  readonly icon: IconName;
  readonly title: string;
  readonly badges?: ReactNode;
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

/** A list item with title, details and actions, which are stacked on a phone. */
export const Item = ({ icon, title, badges, actions, children }: Props) => (
  <li className={classes.item}>
    <span className={classes.icon}>
      <Icon name={icon} size={22} />
    </span>
    <div className={classes.words}>
      <Group gap="xs">
        <Text fw={600}>{title}</Text>
        {badges}
      </Group>
      {children}
    </div>
    {actions && <Group gap="xs">{actions}</Group>}
  </li>
);
