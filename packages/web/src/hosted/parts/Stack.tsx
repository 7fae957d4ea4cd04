import type { ReactNode } from 'react';
import classes from './Stack.module.css';

export const Stack = ({ gap, children }: { gap?: 'small'; children: ReactNode }) => (
  <div className={classes.stack} data-gap={gap}>
    {children}
  </div>
);

export const Divider = ({ label }: { label: string }) => <div className={classes.divider}>{label}</div>;

export const Skeleton = ({ label }: { label: string }) => (
  <div role="status" aria-label={label} className={classes.skeleton}>
    <span />
    <span />
    <span />
    <span />
  </div>
);
