/** Settings that the service passes to its pages in a `meta` element. Nothing in them is secret. */
export interface Settings {
  /** The path of the API: `/v1`. */
  readonly api: string;
  /** Mails are stored in a folder, and `/dev/mail` shows them. */
  readonly development: boolean;
  readonly redirect_origins: readonly string[];
  readonly default_locale: 'en' | 'de';
}

export const SETTINGS_NAME = 'gatehouse';
/** Placeholders in the built documents for the settings and the nonce of each response. */
export const SETTINGS_PLACE = '{{settings}}';
export const NONCE_PLACE = '{{nonce}}';
