import './hosted.css';
import './scheme.ts';
import { type ComponentType, lazy } from 'react';
import { loadTexts } from '../ui/language.tsx';
import { mount } from '../ui/Root.tsx';
import { noteSessionIfOpen } from '../ui/session-hint.ts';

/** Each page is a module of its own, loaded by path; navigation uses plain links. */
const pages: Readonly<Record<string, () => Promise<{ Page: ComponentType }>>> = {
  '/': () => import('./home/Home.tsx'),
  '/sign-in': () => import('./sign-in/SignIn.tsx'),
  '/sign-in/mfa': () => import('./mfa/Mfa.tsx'),
  '/second-factor': () => import('./second-factor/SecondFactor.tsx'),
  '/register': () => import('./register/Register.tsx'),
  '/forgot-password': () => import('./password/Forgot.tsx'),
  '/reset-password': () => import('./password/Reset.tsx'),
  '/verify-email': () => import('./verify-email/VerifyEmail.tsx'),
  '/accept-invitation': () => import('./invitation/Invitation.tsx'),
  '/consent': () => import('./interaction/Interaction.tsx'),
  '/signed-out': () => import('./signed-out/SignedOut.tsx'),
};

const load = pages[location.pathname] ?? pages['/']!;
const loaded = load();
const Page = lazy(() => loaded.then((module) => ({ default: module.Page })));

// On Back, the browser may show a page as it was left after the sign-in, with a busy button.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});

addEventListener('pagehide', noteSessionIfOpen);

// Loads the page and its text first: React would show a fallback, and keep it for at least 300 ms. Errors are ignored
// here: rendering throws them, or tries the import again.
void Promise.allSettled([loaded.then(loadTexts)]).then(() => mount(<Page />));
