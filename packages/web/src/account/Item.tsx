import { Group, Text } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { Icon, type IconName } from '../ui/Icon.tsx';
import classes from './Item.module.css';

interface Props {
  /** The name of an icon, or a mark with its own colours. */
  readonly icon: IconName | ReactElement;
  readonly title: string;
  readonly badges?: ReactNode;
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

/** A list item with title, details and actions, which are stacked on a phone. */
export const Item = ({ icon, title, badges, actions, children }: Props) => (
  <li className={classes.item}>
    <span className={classes.icon}>{typeof icon === 'string' ? <Icon name={icon} size={22} /> : icon}</span>
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
