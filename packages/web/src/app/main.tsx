import './styles.ts';
import { MantineProvider } from '@mantine/core';
import { focusManager, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { Suspense } from 'react';
import { addIcons } from '../ui/Icon.tsx';
import { loadTexts } from '../ui/language.tsx';
import { mount } from '../ui/Root.tsx';
import { styleNonce } from '../ui/settings.ts';
import { APP_ICONS } from './icons.ts';
import { queries } from './query.ts';
import { router } from './router.tsx';
import { loadSession } from './session.ts';
import { theme, variables } from './theme.ts';

addIcons(APP_ICONS);
// The scroll lock of dialogs adds a style element, which needs the CSP nonce.
setNonce(styleNonce);

// Also refetches on `focus`: windows side by side stay visible, so that `visibilitychange` does not fire.
focusManager.setEventListener((comeBack) => {
  const listener = () => comeBack();
  const events = ['visibilitychange', 'focus', 'pageshow'];
  for (const event of events) window.addEventListener(event, listener);
  return () => {
    for (const event of events) window.removeEventListener(event, listener);
  };
});

// Loads these before the first render: React would show a fallback for each, and keep it for at least 300 ms. Errors
// are ignored here: rendering throws them, or tries the import again. No top-level await: with it, the bundler ignores
// the chunk groups.
void Promise.allSettled([loadSession(), router.load().then(loadTexts)]).then(() =>
  mount(
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce}
      cssVariablesResolver={variables}
    >
      <Suspense fallback={null}>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </Suspense>
    </MantineProvider>,
  ),
);
