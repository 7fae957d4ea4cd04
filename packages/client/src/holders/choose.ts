import { type CookieJar, createCookieJar } from '../cookie-jar.ts';
import { browserGlobals } from './browser-globals.ts';
import type { Holder } from './holder.ts';
import { otherPagesHolder } from './other-pages.ts';
import { ownPagesHolder } from './own-pages.ts';
import { jarHolder, tokenHolder } from './server.ts';

interface Place {
  readonly base: string;
  readonly jar?: CookieJar | undefined;
  readonly access_token?: string | undefined;
}

/** By what it is given, and otherwise by where it runs. */
export function holderFor({ base, jar, access_token }: Place): Holder {
  if (access_token !== undefined) return tokenHolder(access_token);
  const { document, location } = browserGlobals;
  if (jar || !document) return jarHolder(jar ?? createCookieJar(), base);
  const isElsewhere = location !== undefined && new URL(base, location.href).origin !== location.origin;
  return isElsewhere ? otherPagesHolder() : ownPagesHolder();
}
