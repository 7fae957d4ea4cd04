import { join } from 'node:path';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/settings.ts';
import { createApiTransport } from '../../platform/mail/api.ts';
import { openMailFolder } from '../../platform/mail/folder.ts';
import type { MailTransport } from '../../platform/mail/message.ts';
import { createSmtpTransport } from '../../platform/mail/smtp.ts';
import type { ProviderState } from '../provider-settings/resolve.ts';
import type { ProviderStates } from '../provider-settings/states.ts';

type SenderSettings = Pick<Config, 'NODE_ENV' | 'PUBLIC_BASE_URL' | 'EMAIL_FROM' | 'BRAND_NAME'>;
type TransportSettings = SenderSettings &
  Pick<Config, 'DATA_DIR' | 'EMAIL_API_BASE_URL' | 'EMAIL_API_KEY' | 'SMTP_URL'>;

/** Transport and sender in one value: a mail never combines the key of one configuration and the sender of another. */
export interface Outlet {
  readonly transport: MailTransport;
  readonly from: string;
}

/**
 * A transport as it was configured at one moment: by a stored row, whose secret may have been overwritten since, by the
 * environment, or by the fallback without a provider (a mail server, or the development folder).
 */
export type BoundTransport = { readonly from: string; readonly secret: string } | 'environment' | 'fallback';

export interface Outlets {
  /** Called for every mail: the stored configuration can change at any time. Undefined: nothing can be sent now. */
  current(): Outlet | undefined;
  /** Returns undefined if the settings of this process have no such transport. */
  bound(via: BoundTransport): Outlet | undefined;
  /** Closes open connections, also those of a transport that is not active. */
  close(): Promise<void>;
}

export const mailFolderPath = ({ DATA_DIR }: Pick<Config, 'DATA_DIR'>): string => join(DATA_DIR, 'mail');

/**
 * docs/reference/operations.md#mail: the mail API as stored, then as configured by the environment, then an SMTP
 * server, then (never in production) a folder.
 */
export function chooseTransport(
  config: TransportSettings,
  clock: Clock,
  providers: Pick<ProviderStates, 'find'>,
): Outlets {
  const other = withoutProvider(config, clock);
  const fallback = other && { transport: other, from: senderOf(config) };
  const byApi = (secret: string, from: string): Outlet => ({
    transport: createApiTransport({ baseUrl: config.EMAIL_API_BASE_URL!, apiKey: secret }),
    from,
  });
  const { EMAIL_API_KEY, EMAIL_FROM } = config;
  return {
    current() {
      const { settings } = providers.find('email_transport');
      return settings ? byApi(settings.secret, settings.public_config.from!) : fallback;
    },
    bound(via) {
      if (via === 'fallback') return fallback;
      if (via !== 'environment') return byApi(via.secret, via.from);
      return EMAIL_API_KEY && EMAIL_FROM ? byApi(EMAIL_API_KEY, EMAIL_FROM) : undefined;
    },
    close: async () => other?.close(),
  };
}

/** Created once, because SMTP connections are kept between mails. */
function withoutProvider(config: TransportSettings, clock: Clock): MailTransport | undefined {
  if (config.SMTP_URL) return createSmtpTransport({ url: config.SMTP_URL });
  const path = mailFolderPath(config);
  return config.NODE_ENV === 'production' ? undefined : openMailFolder({ path, clock }).transport;
}

/** The transport of this configuration, which works even after it has changed. Undefined if mail cannot be sent. */
export function bindTransport(
  { settings, source }: ProviderState,
  { SMTP_URL, NODE_ENV }: Pick<Config, 'SMTP_URL' | 'NODE_ENV'>,
): BoundTransport | undefined {
  if (settings && source === 'stored') return { from: settings.public_config.from!, secret: settings.secret };
  if (settings) return 'environment';
  return SMTP_URL || NODE_ENV !== 'production' ? 'fallback' : undefined;
}

/** The sender of all mails. EMAIL_FROM is optional with an SMTP server; the default uses the service's host name. */
export const senderOf = ({ EMAIL_FROM, NODE_ENV, PUBLIC_BASE_URL, BRAND_NAME }: SenderSettings): string => {
  const host = NODE_ENV === 'production' ? new URL(PUBLIC_BASE_URL).hostname : 'localhost';
  return EMAIL_FROM ?? `${quoted(BRAND_NAME)} <gatehouse@${host}>`;
};

/** A display name of RFC 5322: quoted unless it consists of plain words. */
const quoted = (name: string): string => (/^[\w ]+$/.test(name) ? name : `"${name.replaceAll(/["\\]/g, '\\$&')}"`);
