import type { ReactNode } from 'react';
import { Icon, type IconName } from '../ui/Icon.tsx';
import classes from './Sign.module.css';

export type Tone = 'good' | 'bad' | 'warn' | 'idle';

const ICONS: Readonly<Record<Tone, IconName>> = { good: 'check', bad: 'alert', warn: 'alert', idle: 'minus' };

/** How something stands: in words, with a picture, and only then by its colour. */
export const Sign = ({ tone, children }: { tone: Tone; children: ReactNode }) => (
  <span className={classes.sign} data-tone={tone}>
    <Icon name={ICONS[tone]} size={14} />
    {children}
  </span>
);
