/** What the service tells its pages, in a `meta` element of the document. Nothing in it is secret. */
export interface Settings {
  /** Where the API is: `/v1`. */
  readonly api: string;
  /** Mails land in a folder, and `/dev/mail` shows them. */
  readonly development: boolean;
  readonly redirect_origins: readonly string[];
  readonly default_locale: 'en' | 'de';
}

export const SETTINGS_NAME = 'gatehouse';
/** In the built documents, where the service puts the settings and a nonce for each answer. */
export const SETTINGS_PLACE = '{{settings}}';
export const NONCE_PLACE = '{{nonce}}';
