import type { Browser as ApiBrowser } from '../../server/test/browser.ts';
import type { Visit } from './pages.ts';

export async function enterAs({ context }: Visit, { jar }: ApiBrowser, url: string): Promise<void> {
  const { hostname } = new URL(url);
  await context.addCookies(
    [...jar].map(([name, value]) => ({
      name,
      value,
      domain: hostname,
      path: name === 'service_rt' || name === 'service_trust' ? '/v1' : '/',
      httpOnly: name !== 'service_csrf',
      sameSite: 'Lax' as const,
    })),
  );
}
