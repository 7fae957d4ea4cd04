import { ENVIRONMENT_PROVIDERS } from '@gatehouse/contract';
import { type Config, settingPrefix } from '../../platform/config/settings.ts';
import { type Finding, warning } from './finding.ts';
import { leavesInTheClear } from './site.ts';

/** Settings whose URLs receive client secrets, keys or tokens, or are trusted to verify them. */
const TRUSTED = /^(EMAIL_API_BASE_URL|OAUTH_[A-Z]_(ISSUER|AUTHORIZATION_URL|TOKEN_URL|USERINFO_URL|JWKS_URL))$/;

/** Third-party URLs that are not encrypted. */
export function examineAddresses(config: Config): Finding[] {
  return Object.entries(config)
    .filter(([name, value]) => TRUSTED.test(name) && typeof value === 'string' && leavesInTheClear(value))
    .map(([name]) =>
      warning(name, 'is plain http: an attacker on the network can read secrets and forge responses', 'Use https.'),
    );
}

const LINKS = ['SUPPORT_URL', 'PRIVACY_URL', 'TERMS_URL'] as const;

/** Branding that works but is probably not meant. Unusable values prevent the start, so they are reported as errors. */
export function examineBranding(config: Config): Finding[] {
  const links = LINKS.filter((name) => config[name] !== undefined && leavesInTheClear(config[name])).map((name) =>
    warning(name, 'is plain http: browsers mark the page as not secure', 'Use https.'),
  );
  if (!config.BRAND_LOGO_DARK || config.BRAND_LOGO) return links;
  const fix = 'Set BRAND_LOGO as well, or instead.';
  return [
    warning('BRAND_LOGO_DARK', 'is used in the light colour scheme too, because BRAND_LOGO is unset', fix),
    ...links,
  ];
}

const PAIRS = [
  ...ENVIRONMENT_PROVIDERS.map(settingPrefix).map(
    (prefix) => [`${prefix}_CLIENT_ID`, `${prefix}_CLIENT_SECRET`] as const,
  ),
  ['EMAIL_API_KEY', 'EMAIL_FROM'],
] as const;

/** Settings that have no effect without another setting. EMAIL_FROM alone is the sender for SMTP_URL. */
export function examinePairs(config: Config): Finding[] {
  return PAIRS.filter(([first, second]) =>
    config[first] ? !config[second] : config[second] && first !== 'EMAIL_API_KEY',
  ).map(([first, second]) => {
    const [given, missing] = config[first] ? [first, second] : [second, first];
    return warning(given, `has no effect without ${missing}`, `Set ${missing} as well, or unset ${given}.`);
  });
}

/** Exports signed with a key derived from JWT_SECRET cannot be verified after JWT_SECRET was changed. */
export const examineExportKey = ({ TIER, AUDIT_EXPORT_KEY }: Config): Finding[] =>
  TIER === 'premium' && !AUDIT_EXPORT_KEY
    ? [
        warning(
          'AUDIT_EXPORT_KEY',
          'is not set: audit exports are signed with a key derived from JWT_SECRET',
          'Set it, and keep it for as long as the exports must be verifiable.',
        ),
      ]
    : [];
