import type { ReactNode } from 'react';
import classes from './Items.module.css';

export const Items = ({ label, children }: { label: string; children: ReactNode }) => (
  <ul className={classes.items} aria-label={label}>
    {children}
  </ul>
);

interface Props {
  readonly title: string;
  readonly detail?: string;
}

export const Item = ({ title, detail }: Props) => (
  <li className={classes.item}>
    {title}
    {detail && <div className="small dimmed">{detail}</div>}
  </li>
);
