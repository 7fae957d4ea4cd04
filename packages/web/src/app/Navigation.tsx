import { NavLink, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { useId } from 'react';
import { client } from '../ui/client.ts';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { settings } from '../ui/settings.ts';
import classes from './Navigation.module.css';
import { useHome, usePermission, usePlatformRole } from './session.ts';
import { useText } from './text.ts';

interface Entry {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
  /** A page outside the app. */
  readonly outside?: boolean;
}

/** By default, the router also marks the parents of the current page as active. */
const EXACT = { exact: true };

interface Props {
  readonly onGo: () => void;
}

/** Links only to pages that the signed-in user may open. */
export function Navigation({ onGo }: Props) {
  const t = useText();
  const home = useHome();
  const hasConsole = usePlatformRole('viewer');
  const mayInvite = usePermission('members.invite');
  const isFirstStart = useFirstStart(hasConsole);
  return (
    <>
      <Section
        onGo={onGo}
        title={t.account}
        entries={[
          { to: '/account', label: t.profile, icon: 'user' },
          { to: '/account/security', label: t.security, icon: 'shield' },
          { to: '/account/sessions', label: t.sessions, icon: 'device' },
          { to: '/account/organizations', label: t.organizations, icon: 'building' },
        ]}
      />
      <Section
        onGo={onGo}
        title={home ? `${t.organization} · ${home.organization_name}` : t.organization}
        entries={[
          { to: '/organization/members', label: t.members, icon: 'users' },
          ...(mayInvite ? [{ to: '/organization/invitations', label: t.invitations, icon: 'mail' } as const] : []),
        ]}
      />
      {hasConsole && (
        <Section
          onGo={onGo}
          title={t.console}
          entries={[
            { to: '/console', label: t.overview, icon: 'chart' },
            { to: '/console/organizations', label: t.organizations, icon: 'building' },
            { to: '/console/users', label: t.users, icon: 'users' },
            { to: '/console/providers', label: t.providers, icon: 'plug' },
            { to: '/console/flags', label: t.flags, icon: 'flag' },
            { to: '/console/audit', label: t.audit, icon: 'audit' },
          ]}
        />
      )}
      {settings.development && (
        <Section
          onGo={onGo}
          title={t.development}
          entries={[
            ...(isFirstStart ? [{ to: '/console', label: t.openConsole, icon: 'gate' } as const] : []),
            { to: '/dev/mail', label: t.sentMails, icon: 'mail', outside: true },
          ]}
        />
      )}
    </>
  );
}

/** In development, returns whether the platform has no owner yet: then the menu links to the console. */
function useFirstStart(hasConsole: boolean): boolean {
  const { data } = useQuery({
    queryKey: ['setup'],
    queryFn: () => client.session.setup(),
    enabled: settings.development && !hasConsole,
  });
  return !hasConsole && data?.platform_owner === false;
}

function Section({ title, entries, onGo }: Props & { title: string; entries: readonly Entry[] }) {
  const id = useId();
  const path = useRouterState({ select: (state) => state.location.pathname });
  return (
    <>
      <Text id={id} className={classes.title} truncate title={title}>
        {title}
      </Text>
      <ul className={classes.list} aria-labelledby={id}>
        {entries.map(({ to, label, icon, outside }) => {
          // Overview and profile are the root of their section, so they are current only at exactly their path.
          const isCurrent = path === to || (to.split('/').length > 2 && path.startsWith(`${to}/`));
          return (
            <li key={to}>
              <NavLink
                {...(outside
                  ? { href: to }
                  : { renderRoot: (props) => <Link to={to} activeOptions={EXACT} {...props} /> })}
                className={classes.link}
                label={label}
                leftSection={<Icon name={icon} />}
                active={isCurrent}
                aria-current={isCurrent ? 'page' : undefined}
                onClick={onGo}
              />
            </li>
          );
        })}
      </ul>
    </>
  );
}
