import { describe, expect, it } from 'vitest';
import { registerUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { auditOf } from '../../../test/records.ts';
import { givePolicy } from '../../features/policy/policy-fixture.ts';
import { resetPolicyOf } from './policy.ts';

const app = useTestApp();

describe('policy reset', () => {
  it.each(['id', 'slug'] as const)(
    'an organization given by %s: an owner whom allowed_networks locked out has access again; the actor in the audit row is the system; a second reset changes nothing',
    async (by) => {
      const owner = await registerUser(app);
      const { organization_id } = owner;
      const { slug } = (await owner.browser.get(`/orgs/${organization_id}`)).json;
      await givePolicy(app, organization_id, { allowed_networks: ['203.0.113.0/24'] });
      await app.deps.sessions.reload(owner.session_id);
      const status = async () => (await owner.browser.get(`/orgs/${organization_id}`)).status;
      expect(await status()).toBe(403);
      const typed = by === 'id' ? organization_id.toUpperCase() : ` ${slug} `;
      expect(await resetPolicyOf(app.deps, typed)).toContain(`(${organization_id}) were reset`);
      await app.deps.sessions.reload(owner.session_id);
      expect(await status()).toBe(200);
      expect(await resetPolicyOf(app.deps, typed)).toContain('Nothing was changed');
      expect(await auditOf(app, { action: 'policy.reset', resource_id: organization_id })).toMatchObject([
        { actor_id: null, actor_type: 'system', metadata: { old: { allowed_networks: ['203.0.113.0/24'] } } },
      ]);
    },
  );

  it('an organization id takes precedence over an equal slug of another organization', async () => {
    const [owner, other] = [await registerUser(app), await registerUser(app)];
    const { organization_id } = owner;
    await givePolicy(app, organization_id, { allowed_methods: ['passkey'] });
    await app.deps.db
      .updateTable('organizations')
      .set({ slug: organization_id })
      .where('id', '=', other.organization_id)
      .execute();
    expect(await resetPolicyOf(app.deps, organization_id)).toContain(`(${organization_id}) were reset`);
  });

  it.each(['unknown', '', '018f0000-0000-7000-8000-000000000000'])('fails for the organization "%s"', async (typed) => {
    await expect(resetPolicyOf(app.deps, typed)).rejects.toThrow('There is no organization');
  });
});
