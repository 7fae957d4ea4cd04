import { LIMITS, type ProbeResult } from '@gatehouse/contract';
import { missingFields } from '../../domain/provider-settings/fields.ts';
import type { ProviderSettings } from '../../domain/provider-settings/resolve.ts';
import type { Config } from '../../platform/config/settings.ts';
import { askMailApi } from '../../platform/mail/ask-api.ts';
import type { OutboundReason } from '../../platform/outbound.ts';

type Address = Pick<Config, 'EMAIL_API_BASE_URL'>;

/** §4.9: checks whether the mail provider accepts the key, by listing its domains. */
export async function probeMail({ EMAIL_API_BASE_URL }: Address, settings: ProviderSettings): Promise<ProbeResult> {
  const timeoutMs = LIMITS.probeTimeout * 1000;
  const response = await askMailApi({ baseUrl: EMAIL_API_BASE_URL!, apiKey: settings.secret, timeoutMs });
  if ('status' in response) {
    const isAccepted = response.status >= 200 && response.status < 300;
    return isAccepted
      ? { ok: true, detail: accepted(settings) }
      : { ok: false, detail: `the provider ${describeStatus(response.status)}` };
  }
  return {
    ok: false,
    detail: `the provider ${FAILURES[response.reason]}${response.code ? ` (${response.code})` : ''}`,
  };
}

const accepted = ({ public_config }: ProviderSettings): string =>
  missingFields('email_transport', public_config).length > 0
    ? 'the provider accepts the key. Save a sender address as well'
    : 'the provider accepts the key. The domain of the sender address must be verified there';

/** The request has no parameters, so a 400 also means that the key is wrong. */
const KEY_REJECTED = [400, 401, 403];

function describeStatus(status: number): string {
  if (KEY_REJECTED.includes(status)) {
    return `rejected the key (HTTP ${status}): save another one. A key limited to sending is refused here as well: to test it, use one with full access, or ask for a mail`;
  }
  if (status === 429) return `takes no more requests for now (HTTP ${status}): test again in a minute`;
  if (status >= 500) return `has a fault of its own (HTTP ${status}): test again later`;
  return `did not return a list of domains (HTTP ${status}): check EMAIL_API_BASE_URL`;
}

const UNREACHABLE = "is unreachable: check EMAIL_API_BASE_URL and the server's network";

const FAILURES: Readonly<Record<OutboundReason, string>> = {
  timeout: `is unreachable: it did not answer within ${LIMITS.probeTimeout} seconds; test again later`,
  unreachable: UNREACHABLE,
  aborted: UNREACHABLE,
  too_large: 'returned too large a response for a list of domains: check EMAIL_API_BASE_URL',
  invalid_request: 'cannot be queried: check EMAIL_API_BASE_URL, and save the key again',
};
