import type { ClientOptions } from '../client.ts';
import { createCookieJar } from '../cookie-jar.ts';
import { type Holder, surroundings } from './holder.ts';
import { otherPagesHolder } from './other-pages.ts';
import { ownPagesHolder } from './own-pages.ts';
import { jarHolder, tokenHolder } from './server.ts';

/** By what it is given, and otherwise by where it runs. */
export function holderFor({ base, jar, access_token }: ClientOptions): Holder {
  if (access_token !== undefined) return tokenHolder(access_token);
  const { document, location } = surroundings;
  if (jar || !document) return jarHolder(jar ?? createCookieJar(), base);
  const isElsewhere = location !== undefined && new URL(base, location.href).origin !== location.origin;
  return isElsewhere ? otherPagesHolder() : ownPagesHolder();
}
