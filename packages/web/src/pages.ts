/** The two bundles: pages that need no session, and pages for signed-in users. */
export type Entry = 'hosted' | 'app';

/** Every path at which the service serves a page, with its bundle. A test compares it with the router of the app. */
export const PAGES: Readonly<Record<string, Entry>> = {
  '/': 'hosted',
  '/sign-in': 'hosted',
  '/sign-in/mfa': 'hosted',
  '/register': 'hosted',
  '/forgot-password': 'hosted',
  '/reset-password': 'hosted',
  '/verify-email': 'hosted',
  '/accept-invitation': 'hosted',
  '/signed-out': 'hosted',
  '/account': 'app',
  '/account/security': 'app',
  '/account/sessions': 'app',
  '/account/organizations': 'app',
  '/organization/members': 'app',
  '/organization/invitations': 'app',
  '/console': 'app',
  '/console/organizations': 'app',
  '/console/organizations/:id': 'app',
  '/console/users': 'app',
  '/console/users/:id': 'app',
  '/console/providers': 'app',
  '/console/providers/:provider': 'app',
  '/console/flags': 'app',
  '/console/audit': 'app',
};
