import { NavLink, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { useId } from 'react';
import { client } from '../ui/client.ts';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { settings } from '../ui/settings.ts';
import { type AppPage, AREAS, areaOf } from './areas.ts';
import classes from './Navigation.module.css';
import { useHome, useIsSso, usePlatformRole, useSession } from './session.ts';
import { useText } from './text.ts';

interface Entry {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
  readonly outside?: boolean;
}

/** A link is active only on its own page; by default, the router also marks links to parents of the page. */
const EXACT = { exact: true };

interface Props {
  readonly onGo: () => void;
}

const usePath = () => useRouterState({ select: (state) => state.location.pathname });

/** The menu of the current area. Links only to pages that the signed-in user may open. */
export function Navigation({ onGo }: Props) {
  const t = useText();
  const home = useHome();
  const area = areaOf(usePath());
  const hasConsole = usePlatformRole('viewer');
  const isSso = useIsSso();
  const { permissions } = useSession().capabilities;
  const isFirstStart = useFirstStart(hasConsole);
  // Users without a platform role see one console page, and sessions of single sign-on one account page: no menu.
  const isClosed = (area === 'console' && !hasConsole) || (area === 'account' && isSso);
  const pages: readonly AppPage[] = isClosed ? [] : AREAS[area];
  const entries = pages.flatMap(({ path, menu, permission }) =>
    menu && (permission === undefined || permissions.includes(permission))
      ? [{ to: path, label: t.pages[menu[0]], icon: menu[1] }]
      : [],
  );
  const title = area === 'organization' && home ? home.organization_name : t.areas[area];
  return (
    <>
      {entries.length > 0 && <Section onGo={onGo} title={title} entries={entries} />}
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

export function AreaLinks() {
  const t = useText();
  const current = areaOf(usePath());
  const hasConsole = usePlatformRole('viewer');
  const areas = hasConsole ? (['account', 'organization', 'console'] as const) : (['account', 'organization'] as const);
  return (
    <ul className={classes.areas}>
      {areas.map((area) => (
        <li key={area}>
          <Link
            to={AREAS[area][0].path}
            className={classes.area}
            data-current={area === current || undefined}
            aria-current={area === current ? 'true' : undefined}
            activeProps={NO_PROPS}
          >
            {t.areas[area]}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** The router would set `aria-current="page"`, but the link is current on all pages of its area. */
const NO_PROPS = { 'aria-current': undefined };

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
  const path = usePath();
  return (
    <>
      <Text id={id} className={classes.title} truncate title={title}>
        {title}
      </Text>
      <ul className={classes.list} aria-labelledby={id}>
        {entries.map(({ to, label, icon, outside }) => {
          // Overview and profile are the root of their area, so they are current only at exactly their path.
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
