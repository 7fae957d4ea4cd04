import { useSuspenseQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { usePlatformRole } from '../app/session.ts';
import { client } from '../ui/client.ts';
import { FirstOwner } from './access/FirstOwner.tsx';
import { NoRole } from './access/NoRole.tsx';
import { useConsoleText } from './text.ts';

export function ConsoleAccess() {
  // Loads this text with every page: a component that suspends for it later would replace the page by the fallback.
  useConsoleText();
  return usePlatformRole('viewer') ? <Outlet /> : <Closed />;
}

function Closed() {
  const { data } = useSuspenseQuery({ queryKey: ['setup'], queryFn: () => client.session.setup() });
  return data.platform_owner ? <NoRole /> : <FirstOwner />;
}
