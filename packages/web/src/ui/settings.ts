import { SETTINGS_NAME, type Settings } from '../settings.ts';

const meta = document.querySelector<HTMLMetaElement>(`meta[name="${SETTINGS_NAME}"]`);

/** As the service wrote them into the document. */
export const settings = JSON.parse(meta?.content ?? '{}') as Settings;

/** For style elements that are made in the browser: the page's policy allows no others. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
