import { describe, expect, it } from 'vitest';
import { createBrowser, newEmail, PASSWORD } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { findUser } from '../../../test/records.ts';

const app = useTestApp();

const register = async (given: object, headers: Record<string, string> = {}) => {
  const email = newEmail();
  const body = { email, password: PASSWORD, organization_name: 'Example', ...given };
  const answer = await createBrowser(app).post('/auth/register', body, { headers });
  expect(answer.status).toBe(201);
  return { email, locale: (await findUser(app, answer.json.user.user_id)).locale };
};

describe('the locale of a new account', () => {
  it.each([
    [{ locale: 'de' }, 'en', 'de'],
    [{ locale: 'de-ch' }, 'en', 'de-CH'],
    [{ locale: 'fr' }, 'de', 'fr'],
    [{}, 'de-DE,de;q=0.9,en;q=0.8', 'de-DE'],
    [{}, 'fr-FR, en;q=0.5, de;q=0.7', 'de'],
    [{}, 'fr, ja;q=0.5', null],
    [{}, '*', null],
    [{}, ';;q=, -', null],
    [{}, undefined, null],
    [{ locale: 'not a tag' }, 'de', 'de'],
    [{ locale: 'x'.repeat(500) }, 'de', 'de'],
    [{ locale: '' }, 'de', 'de'],
    [{ locale: null }, 'de', 'de'],
    [{ locale: 7 }, 'de', 'de'],
    [{ locale: ['de'] }, 'en', 'en'],
    [{ locale: { a: 1 } }, undefined, null],
  ])('the locale for the body %o and Accept-Language %s is %s', async (given, accepted, expected) => {
    const { locale } = await register(given, accepted === undefined ? {} : { 'accept-language': accepted });
    expect(locale).toBe(expected);
  });

  it('is the language of the first mail', async () => {
    const { email } = await register({}, { 'accept-language': 'de' });
    expect((await app.mailbox.take(email))[0]!.html).toContain('<html lang="de">');
  });
});
