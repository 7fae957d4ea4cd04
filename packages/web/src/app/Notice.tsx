import type { ReactNode } from 'react';
import { Icon, type IconName } from '../ui/Icon.tsx';
import classes from './Notice.module.css';

interface Props {
  readonly icon?: IconName;
  readonly title?: string;
  readonly children: ReactNode;
}

/** Information that is not the error of an action. */
export const Notice = ({ icon = 'alert', title, children }: Props) => (
  <div className={classes.notice}>
    <span className={classes.icon}>
      <Icon name={icon} />
    </span>
    <div className={classes.body}>
      {title && <p className={classes.title}>{title}</p>}
      {children}
    </div>
  </div>
);
