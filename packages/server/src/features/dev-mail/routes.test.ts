import { describe, expect, it } from 'vitest';
import { startTestApp, useTestApp } from '../../../test/harness.ts';
import { enqueueMail } from '../../domain/mail/enqueue.ts';
import { after } from '../../platform/clock.ts';
import { transact } from '../../platform/db/transact.ts';

describe('/dev/mail over HTTP', () => {
  const app = useTestApp();

  const page = async (url: string) => app.server.inject({ url });

  it('shows a mail soon after the transaction that queued it', async () => {
    expect((await page('/dev/mail')).body).toContain('No emails yet');
    const { deps, clock } = app;
    const id = await transact(deps.db, (tx) =>
      enqueueMail(tx, deps.mail, {
        template: 'login_code',
        locale: 'de',
        to: 'ada@example.com',
        params: { code: '042137', minutes: 10 },
        expires_at: after(clock.now(), 600),
      }),
    );
    await expect.poll(async () => (await page('/dev/mail')).body).toContain('Ihr Anmeldecode');
    const shown = await page(`/dev/mail/${id}`);
    expect(shown.statusCode).toBe(200);
    expect(shown.body).toContain('042137');
    expect(shown.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(shown.headers['content-security-policy']).toContain("default-src 'none'");
    const content = await page(`/dev/mail/${id}/html`);
    expect(content.body).toContain('042137');
    const policy = content.headers['content-security-policy'] as string;
    expect(policy).toMatch(/^default-src 'none'; .*sandbox allow-popups/);
    expect(policy).not.toMatch(/allow-scripts|allow-same-origin|script-src/);
    expect(JSON.stringify(app.logs)).not.toContain('042137');
  });

  it('returns 404 for an unknown mail', async () => {
    expect((await page('/dev/mail/01890000-0000-7000-8000-000000000000')).statusCode).toBe(404);
  });

  it('/dev/mail does not exist in production', async () => {
    const environment = { NODE_ENV: 'production', PUBLIC_BASE_URL: 'https://id.example.com' };
    const production = await startTestApp({ environment });
    expect((await production.server.inject({ url: '/dev/mail' })).statusCode).toBe(404);
    await production.close();
  });
});
