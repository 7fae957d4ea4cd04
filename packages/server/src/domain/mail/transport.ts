import { join } from 'node:path';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/settings.ts';
import { createApiTransport } from '../../platform/mail/api.ts';
import { openMailFolder } from '../../platform/mail/folder.ts';
import type { MailTransport } from '../../platform/mail/message.ts';
import { createSmtpTransport } from '../../platform/mail/smtp.ts';

type SenderSettings = Pick<Config, 'NODE_ENV' | 'PUBLIC_BASE_URL' | 'EMAIL_FROM'>;
type TransportSettings = SenderSettings &
  Pick<Config, 'DATA_DIR' | 'EMAIL_API_KEY' | 'EMAIL_API_BASE_URL' | 'SMTP_URL'>;

/** Where development mails lie. */
export const mailFolderPath = ({ DATA_DIR }: Pick<Config, 'DATA_DIR'>): string => join(DATA_DIR, 'mail');

/**
 * The contract, section 5: the provider's API, then a mail server, then (never in production) a folder. A function, asked
 * for every mail: a stored provider row, which can change at any time, goes before what the environment says.
 */
export function chooseTransport(
  config: TransportSettings,
  clock: Clock = systemClock,
): () => MailTransport | undefined {
  const chosen = fromEnvironment(config, clock);
  return () => chosen;
}

function fromEnvironment(config: TransportSettings, clock: Clock): MailTransport | undefined {
  const { EMAIL_API_KEY, EMAIL_FROM, EMAIL_API_BASE_URL, SMTP_URL, NODE_ENV } = config;
  if (EMAIL_API_KEY && EMAIL_FROM && EMAIL_API_BASE_URL) {
    return createApiTransport({ baseUrl: EMAIL_API_BASE_URL, apiKey: EMAIL_API_KEY });
  }
  if (SMTP_URL) return createSmtpTransport({ url: SMTP_URL });
  return NODE_ENV === 'production' ? undefined : openMailFolder({ path: mailFolderPath(config), clock }).transport;
}

/** By the contract a mail server needs no EMAIL_FROM; the service's own name is then the best guess. */
export const senderOf = ({ EMAIL_FROM, NODE_ENV, PUBLIC_BASE_URL }: SenderSettings): string => {
  const host = NODE_ENV === 'production' ? new URL(PUBLIC_BASE_URL).hostname : 'localhost';
  return EMAIL_FROM ?? `Gatehouse <gatehouse@${host}>`;
};
