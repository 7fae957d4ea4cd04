import type { Overview } from '@gatehouse/contract';
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Icon } from '../../ui/Icon.tsx';
import { useLanguage } from '../../ui/language.tsx';
import classes from './Metrics.module.css';
import { useText } from './text.ts';

export function Metrics({ overview }: { overview: Overview }) {
  const t = useText();
  const { language } = useLanguage();
  const say = (count: number) => count.toLocaleString(language);
  const { failed, expired, queued } = overview.mail;
  const trouble = failed + expired > 0;
  return (
    <section aria-label={t.figures}>
      <dl className={classes.metrics}>
        <Figure name={<To to="/console/users">{t.users}</To>}>{say(overview.users)}</Figure>
        <Figure name={<To to="/console/organizations">{t.organizations}</To>}>{say(overview.organizations)}</Figure>
        <Figure name={t.sessions} note={overview.active_sessions_estimated ? t.estimated : undefined}>
          {overview.active_sessions_estimated && '≈ '}
          {say(overview.active_sessions)}
        </Figure>
        <Figure
          name={t.mails}
          note={
            <>
              {trouble && <Icon name="alert" size={14} />} {trouble ? t.mailTrouble(failed, expired) : t.mailFine}
            </>
          }
        >
          {say(queued)}
        </Figure>
      </dl>
    </section>
  );
}

const To = ({ to, children }: { to: string; children: string }) => (
  <Anchor component={Link} to={to} inherit>
    {children}
  </Anchor>
);

const Figure = ({ name, children, note }: { name: ReactNode; children: ReactNode; note?: ReactNode }) => (
  <div className={classes.figure}>
    <dt className={classes.name}>{name}</dt>
    <dd className={classes.value}>{children}</dd>
    {note && <dd className={classes.note}>{note}</dd>}
  </div>
);
