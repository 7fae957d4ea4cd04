import { afterEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/harness.ts';

let app: TestApp;
afterEach(() => app.close());

describe('GET /', () => {
  it('says that the service runs, under a policy without script', async () => {
    app = await startTestApp({ environment: { PUBLIC_BASE_URL: 'https://id.example.com' } });
    const answer = await app.server.inject('/');
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[^']+';/);
    expect(answer.body).toContain('https://id.example.com');
    expect(answer.body).toContain('href="/dev/mail"');
  });

  it('does not name the sent mails in production', async () => {
    app = await startTestApp({ environment: { NODE_ENV: 'production' } });
    const answer = await app.server.inject('/');
    expect(answer.statusCode).toBe(200);
    expect(answer.body).not.toContain('/dev/mail');
  });
});
