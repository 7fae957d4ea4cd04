import { expect, it } from 'vitest';
import { withPasskey } from '../../../test/authenticator.ts';
import { useTestApp } from '../../../test/harness.ts';
import { setUser } from '../../../test/records.ts';
import { configOf } from '../../domain/provider-settings/rows-fixture.ts';
import { examinePasskeys } from './passkeys.ts';

const app = useTestApp();
const examine = (PUBLIC_BASE_URL: string) => examinePasskeys(configOf({ PUBLIC_BASE_URL }), app.deps.db);

it('doctor counts users with passkeys of another domain, and those of them without another method', async () => {
  expect(await examine('https://id.example.com')).toMatchObject({ check: 'passkeys', status: 'ok' });
  const [, bare, gone] = [await withPasskey(app), await withPasskey(app), await withPasskey(app)];
  await setUser(app, bare.user_id, { password_hash: null });
  await setUser(app, gone.user_id, { status: 'disabled' });
  expect(await examine('http://localhost:8080')).toMatchObject({ status: 'ok', detail: 'all belong to localhost' });
  const finding = await examine('https://id.example.com');
  expect(finding).toMatchObject({ status: 'warning', detail: expect.stringContaining('2 users with passkeys') });
  expect(finding.detail).toContain('1 of them with no other');
});
