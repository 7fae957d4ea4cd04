import { v7 as uuid } from 'uuid';
import type { TestApp } from '../../../test/harness.ts';

/** Inserts a webhook that gets no events. Returns its id. */
export async function addWebhook(
  { deps, clock }: TestApp,
  { organization_id, user_id }: { organization_id: string | null; user_id: string },
): Promise<string> {
  const id = uuid();
  await deps.db
    .insertInto('webhooks')
    .values({
      id,
      organization_id,
      url: 'https://example.com/',
      description: '',
      events: ['none.*'],
      enabled: true,
      disabled_reason: null,
      failing_since: null,
      created_by: user_id,
      created_at: clock.now(),
      deleted_at: null,
    })
    .execute();
  return id;
}
