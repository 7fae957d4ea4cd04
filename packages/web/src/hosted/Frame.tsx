import type { ReactNode } from 'react';
import { BrandLinks, BrandMark } from '../ui/Brand.tsx';
import { settings } from '../ui/settings.ts';
import classes from './Frame.module.css';
import { Heading } from './Heading.tsx';
import { Preferences } from './Preferences.tsx';
import { Stack } from './parts/Stack.tsx';
import { useText } from './text.ts';

interface Props {
  /** Absent while the page is loading. */
  readonly title?: string;
  readonly lead?: ReactNode;
  readonly children?: ReactNode;
  readonly below?: ReactNode;
  readonly wide?: boolean;
}

export function Frame({ title, lead, children, below, wide = false }: Props) {
  const t = useText();
  return (
    <div className={classes.frame}>
      <header className={classes.header}>
        <a href="/" className={classes.mark}>
          <BrandMark />
        </a>
      </header>
      <main className={classes.main}>
        <div className={classes.card} data-wide={wide || undefined}>
          <Stack>
            {title && <Heading title={title} lead={lead} />}
            {children}
          </Stack>
        </div>
        {below && <div className={classes.below}>{below}</div>}
      </main>
      <footer className={classes.footer}>
        <Preferences />
        <BrandLinks />
        {settings.development && <a href="/dev/mail">{t.sentMails}</a>}
      </footer>
    </div>
  );
}
