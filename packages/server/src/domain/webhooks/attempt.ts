import { LIMITS, NIL_UUID, type ServiceEvent } from '@gatehouse/contract';
import { type Clock, seconds } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/settings.ts';
import type { Keyring } from '../../platform/crypto/keyring.ts';
import { unseal } from '../../platform/crypto/seal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { guardedRequest } from '../../platform/outbound/guarded-request.ts';
import { NOT_PUBLIC } from '../../platform/outbound/public-address.ts';
import { OutboundError } from '../../platform/outbound.ts';
import { describeEvent } from '../events/describe.ts';
import { type ClaimedDelivery, findEvent } from './deliveries/queries.ts';
import { listSecrets } from './queries.ts';
import { signatureHeaders } from './secret.ts';

interface AttemptDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly config: Pick<Config, 'PRIVATE_NETWORKS' | 'NODE_ENV'>;
}

/** The result of an attempt. `status` is null without a response, `error` is null if the event was delivered. */
interface AttemptResult {
  readonly status: number | null;
  readonly error: string | null;
}

/** No secret of the webhook could be opened with this JWT_SECRET: nothing was sent. */
export const SECRET_UNREADABLE = 'secret_unreadable';

export const TEST_EVENT = 'webhook.test';

const failed = (error: string, status: number | null = null): AttemptResult => ({ status, error });

/** docs/reference/webhooks.md#delivery: one request to the receiver. The response body is not read. */
export async function attemptDelivery(deps: AttemptDeps, delivery: ClaimedDelivery): Promise<AttemptResult> {
  const { db, clock, keyring, config } = deps;
  // The webhook may have been created in development, where http is allowed, before the service went into production.
  if (config.NODE_ENV === 'production' && !delivery.url.startsWith('https:')) return failed('https_required');
  const event = await eventOf(db, delivery);
  if (!event) return failed('event_archived');
  const now = clock.now();
  const sealed = await listSecrets(db, delivery.webhook_id, now);
  const secrets = sealed.flatMap(
    ({ id, sealed_secret }) => unseal(keyring, { purpose: 'webhook', row: id }, sealed_secret)?.toString('utf8') ?? [],
  );
  if (secrets.length === 0) return failed(SECRET_UNREADABLE);
  const body = JSON.stringify(event);
  try {
    const { status } = await guardedRequest(delivery.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Gatehouse-Webhooks',
        ...signatureHeaders(secrets, { id: delivery.event_id, timestamp: seconds(now), body }),
      },
      body,
      timeoutMs: LIMITS.webhook.deliveryTimeout * 1000,
      maxBytes: 0,
      allowPrivate: config.PRIVATE_NETWORKS === 'allow',
    });
    if (status >= 200 && status < 300) return { status, error: null };
    return failed(status >= 300 && status < 400 ? 'redirect' : 'status', status);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    if (error.code === NOT_PUBLIC) return failed('address_not_public');
    return failed(error.code === undefined ? error.reason : `${error.reason} (${error.code})`);
  }
}

async function eventOf(db: Db, delivery: ClaimedDelivery): Promise<ServiceEvent | undefined> {
  const { audit_id, event_at, organization_id } = delivery;
  if (audit_id === null) return testEvent(delivery);
  const row = await findEvent(db, audit_id, event_at);
  return row && describeEvent(row, { redacted: organization_id !== null });
}

/** docs/reference/webhooks.md#webhooks: the event of a test, for which there is no audit row. */
const testEvent = ({ event_id, event_at, organization_id, webhook_id }: ClaimedDelivery): ServiceEvent => ({
  type: TEST_EVENT,
  timestamp: event_at.toISOString(),
  data: {
    event_id,
    organization_id: organization_id ?? NIL_UUID,
    actor_id: null,
    actor_type: 'system',
    resource_type: 'webhook',
    resource_id: webhook_id,
    outcome: 'success',
    metadata: {},
  },
});
