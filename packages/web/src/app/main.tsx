import './styles.ts';
import { focusManager, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { mount } from '../ui/Root.tsx';
import { styleNonce } from '../ui/settings.ts';
import { queries } from './query.ts';
import { router } from './router.tsx';

// What keeps the page behind a dialog from scrolling makes a style element of its own.
setNonce(styleNonce);

// Two windows side by side are both visible all the time: coming back to one must count, too.
focusManager.setEventListener((comeBack) => {
  const listener = () => comeBack();
  const events = ['visibilitychange', 'focus', 'pageshow'];
  for (const event of events) window.addEventListener(event, listener);
  return () => {
    for (const event of events) window.removeEventListener(event, listener);
  };
});

mount(
  <QueryClientProvider client={queries}>
    <RouterProvider router={router} />
  </QueryClientProvider>,
);
