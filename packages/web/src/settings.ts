import type { Entry } from './pages.ts';

export interface Brand {
  readonly name: string;
  /** The paths of the logos; null: none. */
  readonly logo: string | null;
  readonly logo_dark: string | null;
  /** `#rrggbb` in lower case, with AA contrast to white text; null: the colours of Gatehouse. */
  readonly color: string | null;
  readonly support_url: string | null;
  readonly privacy_url: string | null;
  readonly terms_url: string | null;
}

/** Settings that the service passes to its pages in a `meta` element. Nothing in them is secret. */
export interface Settings {
  /** The path of the API: `/v1`. */
  readonly api: string;
  /** Mails are stored in a folder, and `/dev/mail` shows them. */
  readonly development: boolean;
  readonly redirect_origins: readonly string[];
  readonly default_locale: 'en' | 'de';
  /** The language of the signed-in user. Null without a session, or if the account has no supported language. */
  readonly account_language: 'en' | 'de' | null;
  readonly brand: Brand;
  /** The lowest accepted score of a new password, 0 to 4. */
  readonly password_min_strength: number;
}

export const SETTINGS_NAME = 'gatehouse';
/** Placeholders in the built documents, replaced in each response. */
export const PLACES = {
  settings: '{{settings}}',
  nonce: '{{nonce}}',
  language: '{{language}}',
  name: '{{name}}',
  /** Replaced by the links to the icon and the styles of the brand colour. */
  brand: '<meta name="brand">',
  noscript: '{{noscript}}',
  /**
   * Replaced by preload links to what the page needs in addition to the files of its entry. In the body, so that the
   * larger entry files are requested first.
   */
  preload: '<meta name="preload">',
} as const;

/** The files to preload for a page: `all` in every language, `en` and `de` with its text. */
interface PageFiles {
  readonly all: readonly string[];
  readonly en: readonly string[];
  readonly de: readonly string[];
}

/** The content of `preload.json`, which the build writes: hosted pages by path, the app by the first path segment. */
export type Preloads = Readonly<Record<Entry, Readonly<Record<string, PageFiles>>>>;
