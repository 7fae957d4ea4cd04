import type { ReactNode } from 'react';
import classes from './Tag.module.css';

interface Props {
  readonly tone?: 'plain' | 'good' | 'warn' | 'bad';
  readonly children: ReactNode;
}

/** A state in a word or two. The colour only underlines what the word says. */
export const Tag = ({ tone = 'plain', children }: Props) => (
  <span className={classes.tag} data-tone={tone}>
    {children}
  </span>
);
