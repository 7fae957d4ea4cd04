import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '../ui/Icon.tsx';
import classes from './Hint.module.css';

interface Props {
  readonly title?: string;
  readonly icon?: IconName;
  readonly urgent?: boolean;
  readonly children: ReactNode;
}

export const Hint = ({ title, icon = 'alert', urgent = false, children }: Props) => (
  <Alert
    role="note"
    variant="transparent"
    className={urgent ? `${classes.hint} ${classes.urgent}` : classes.hint}
    classNames={{ title: classes.words, icon: classes.words, message: classes.words }}
    title={title}
    icon={<Icon name={icon} />}
  >
    {children}
  </Alert>
);
