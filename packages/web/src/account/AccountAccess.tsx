import { Outlet } from '@tanstack/react-router';
import { useIsSso } from '../app/session.ts';
import { SsoAccount } from './sso/SsoAccount.tsx';

/** The account pages, except in a session of single sign-on, which cannot change the account. */
export function AccountAccess() {
  return useIsSso() ? <SsoAccount /> : <Outlet />;
}
