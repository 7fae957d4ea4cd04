import { SETTINGS_NAME, type Settings } from '../settings.ts';

const meta = document.querySelector<HTMLMetaElement>(`meta[name="${SETTINGS_NAME}"]`);

export const settings = JSON.parse(meta?.content ?? '{}') as Settings;

/** The CSP allows style elements created by scripts only with this nonce. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
