import { AppShell, Burger, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { QueryErrorResetBoundary } from '@tanstack/react-query';
import { Link, Outlet, useRouter } from '@tanstack/react-router';
import { type KeyboardEvent, Suspense, useEffect, useRef } from 'react';
import { BrandLinks, BrandMark } from '../ui/Brand.tsx';
import { languageOf, useLanguage } from '../ui/language.tsx';
import { useWords } from '../ui/words.ts';
import { AreaLinks, Navigation } from './Navigation.tsx';
import { OrganizationMenu } from './OrganizationMenu.tsx';
import { PageSkeleton } from './PageSkeleton.tsx';
import classes from './Shell.module.css';
import { useMe, useSession } from './session.ts';
import { StepUpProvider } from './step-up/StepUpProvider.tsx';
import { Toasts } from './Toasts.tsx';
import { useText } from './text.ts';
import { UnsavedGuard } from './UnsavedGuard.tsx';
import { UserMenu } from './UserMenu.tsx';

/** Shows the pages in the account's language. The HTML document contains it only while the access cookie is valid. */
function useAccountLanguage(): void {
  const { locale } = useMe();
  const { choose } = useLanguage();
  useEffect(() => {
    const language = languageOf(locale);
    if (language) choose(language);
  }, [locale, choose]);
}

export function Shell() {
  const t = useText();
  const words = useWords();
  const [opened, { toggle, close }] = useDisclosure();
  const main = useRef<HTMLElement>(null);
  const burger = useRef<HTMLButtonElement>(null);
  const router = useRouter();
  // Throws if no user is signed in, which leads to the sign-in page.
  useSession();
  useAccountLanguage();
  useEffect(
    () =>
      router.subscribe('onResolved', ({ pathChanged, fromLocation }) => {
        if (!pathChanged || !fromLocation) return;
        close();
        // Moves the focus, so that screen readers announce the new page.
        main.current?.focus({ preventScroll: true });
      }),
    [router, close],
  );
  const closeByEscape = ({ key }: KeyboardEvent) => {
    if (key !== 'Escape' || !opened) return;
    close();
    burger.current?.focus();
  };
  return (
    <StepUpProvider>
      <a className="skip" href="#content">
        {words.skip}
      </a>
      <AppShell
        header={{ height: 56 }}
        navbar={{ width: 250, breakpoint: 'sm', collapsed: { mobile: !opened } }}
        padding="md"
      >
        {/* The header is above the menu, because the header's dropdowns overlap the menu. */}
        <AppShell.Header className={classes.bar} onKeyDown={closeByEscape} zIndex={102}>
          <Group h="100%" px="md" justify="space-between" wrap="nowrap">
            <Group gap="sm" wrap="nowrap" miw={0}>
              <Burger
                ref={burger}
                opened={opened}
                onClick={toggle}
                hiddenFrom="sm"
                size="sm"
                flex="none"
                aria-label={t.menu}
                aria-expanded={opened}
              />
              <Link to="/account" className={classes.mark}>
                <BrandMark />
              </Link>
              <OrganizationMenu />
              <nav aria-label={t.areaNavigation} className={classes.wide}>
                <AreaLinks />
              </nav>
            </Group>
            <UserMenu />
          </Group>
        </AppShell.Header>
        <AppShell.Navbar
          className={`${classes.bar} ${classes.menu}`}
          p="sm"
          aria-label={t.mainNavigation}
          data-closed={!opened || undefined}
          onKeyDown={closeByEscape}
        >
          <div className={classes.narrow}>
            <AreaLinks />
          </div>
          <Navigation onGo={close} />
          <footer className={classes.foot}>
            <BrandLinks />
          </footer>
        </AppShell.Navbar>
        <AppShell.Main
          id="content"
          ref={main}
          tabIndex={-1}
          className={classes.main}
          data-covered={opened || undefined}
        >
          <div className={classes.content}>
            <QueryErrorResetBoundary>
              <Suspense fallback={<PageSkeleton />}>
                <Outlet />
              </Suspense>
            </QueryErrorResetBoundary>
          </div>
        </AppShell.Main>
      </AppShell>
      <Toasts />
      <UnsavedGuard />
    </StepUpProvider>
  );
}
