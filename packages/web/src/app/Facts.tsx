import type { ReactNode } from 'react';
import { Moment } from '../ui/Moment.tsx';
import classes from './Facts.module.css';

export const Facts = ({ children }: { children: ReactNode }) => <dl className={classes.facts}>{children}</dl>;

interface Props {
  readonly name: string;
  readonly children?: ReactNode;
  /** The moment to show instead of `children`; null if it has not happened. */
  readonly at?: string | null;
}

export const Fact = ({ name, children, at }: Props) => (
  <div className={classes.fact}>
    <dt>{name}</dt>
    <dd>{at === undefined ? children : <Moment at={at} />}</dd>
  </div>
);
