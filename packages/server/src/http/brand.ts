import type { Brand } from '@gatehouse/web';
import type { Config } from '../platform/config/settings.ts';

export const LOGO_PATH = '/brand/logo';
export const DARK_LOGO_PATH = '/brand/logo-dark';

/** docs/reference/operations.md#branding: the branding of pages. A dark logo alone is used in both schemes. */
export const brandOf = (config: Config): Brand => ({
  name: config.BRAND_NAME,
  logo: config.BRAND_LOGO ? LOGO_PATH : config.BRAND_LOGO_DARK ? DARK_LOGO_PATH : null,
  logo_dark: config.BRAND_LOGO && config.BRAND_LOGO_DARK ? DARK_LOGO_PATH : null,
  color: config.BRAND_COLOR ?? null,
  support_url: config.SUPPORT_URL ?? null,
  privacy_url: config.PRIVACY_URL ?? null,
  terms_url: config.TERMS_URL ?? null,
});
