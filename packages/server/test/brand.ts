import type { Brand } from '@gatehouse/web';

export const BRAND: Brand = {
  name: 'Gatehouse',
  logo: null,
  logo_dark: null,
  color: null,
  support_url: null,
  privacy_url: null,
  terms_url: null,
};
