import { chooseTransport } from '../../domain/mail/transport.ts';
import type { Config } from '../../platform/config/settings.ts';
import { createMasterKey } from '../../platform/crypto/keyring.ts';
import { type Finding, ok, warning } from './finding.ts';

/** §1: whether secrets can be stored through the console. */
export function examineSealing({ CONFIG_ENCRYPTION_KEY }: Config): Finding {
  if (CONFIG_ENCRYPTION_KEY) {
    return ok(
      'configuration key',
      `set (id ${createMasterKey(CONFIG_ENCRYPTION_KEY).id}): provider secrets can be stored`,
    );
  }
  const fix = 'Set CONFIG_ENCRYPTION_KEY, for example to the output of `openssl rand -base64 32`.';
  return warning('configuration key', 'not set: provider secrets come from the environment alone', fix);
}

export function examineMail(config: Config): Finding {
  const transport = chooseTransport(config)();
  const fix = 'Set EMAIL_API_KEY and EMAIL_FROM, or SMTP_URL.';
  if (!transport) return warning('mail', 'no transport: codes and reset links cannot be sent', fix);
  if (transport.name === 'folder') return ok('mail', `development: a file for each mail in ${config.DATA_DIR}/mail`);
  return ok(
    'mail',
    transport.name === 'api' ? `by the API at ${config.EMAIL_API_BASE_URL}` : 'by the server of SMTP_URL',
  );
}

/** §1: which providers are enabled. */
export function examineProviders(config: Config): Finding {
  const enabled = (['A', 'B'] as const)
    .filter((letter) => config[`OAUTH_${letter}_CLIENT_ID`] && config[`OAUTH_${letter}_CLIENT_SECRET`])
    .map((letter) => `oauth_${letter.toLowerCase()}`);
  return ok('providers', enabled.length === 0 ? 'no third-party sign-in is enabled' : `enabled: ${enabled.join(', ')}`);
}
