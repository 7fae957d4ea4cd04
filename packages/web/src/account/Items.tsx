import type { ReactNode } from 'react';
import classes from './Item.module.css';

export const Items = ({ label, children }: { label: string; children: ReactNode }) => (
  <ul className={classes.items} aria-label={label}>
    {children}
  </ul>
);
