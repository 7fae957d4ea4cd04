import { type Browser, createBrowser, PASSWORD, type TestUser } from '../../../test/browser.ts';
import type { TestApp } from '../../../test/harness.ts';
import { auditOf } from '../../../test/records.ts';

export const NEW = 'another horse, another staple';

export const change = (browser: Browser, body: object) => browser.post('/users/me/password', body);
export const changeTo = (browser: Browser, new_password: string, current_password = PASSWORD) =>
  change(browser, { current_password, new_password });

export const login = (app: TestApp, email: string, password: string) =>
  createBrowser(app).post('/auth/login', { email, password });

export const changesOf = (app: TestApp, { user_id }: TestUser) =>
  auditOf(app, { resource_id: user_id, action: 'auth.password.changed' });

export const takeNotices = async (app: TestApp, { email }: TestUser) =>
  (await app.mailbox.take(email)).filter(({ subject }) => /password|Passwort/.test(subject));
