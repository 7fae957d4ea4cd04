import type { ReactNode } from 'react';
import { Icon, type IconName } from '../ui/Icon.tsx';
import classes from './Tag.module.css';

export type Tone = 'plain' | 'good' | 'warn' | 'bad';

const PICTURES: Readonly<Record<Tone, IconName>> = { plain: 'minus', good: 'check', warn: 'alert', bad: 'alert' };

interface Props {
  readonly tone?: Tone;
  readonly marked?: boolean;
  readonly children: ReactNode;
}

/** A state in a word or two. Icon and colour only repeat what the text says. */
export const Tag = ({ tone = 'plain', marked = false, children }: Props) => (
  <span className={classes.tag} data-tone={tone}>
    {marked && <Icon name={PICTURES[tone]} size={14} />}
    {children}
  </span>
);
