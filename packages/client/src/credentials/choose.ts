import { type CookieJar, createCookieJar } from '../cookie-jar.ts';
import { browserGlobals } from './browser-globals.ts';
import { crossSiteStore } from './cross-site.ts';
import { sameSiteStore } from './same-site.ts';
import { accessTokenStore, cookieJarStore } from './server.ts';
import type { CredentialStore } from './store.ts';

interface Place {
  readonly base: string;
  readonly jar?: CookieJar | undefined;
  readonly access_token?: string | undefined;
}

/** Chooses the store by the options, otherwise by where the client runs. */
export function credentialStoreFor({ base, jar, access_token }: Place): CredentialStore {
  if (access_token !== undefined) return accessTokenStore(access_token);
  const { document, location } = browserGlobals;
  if (jar || !document) return cookieJarStore(jar ?? createCookieJar(), base);
  const isCrossOrigin = location !== undefined && new URL(base, location.href).origin !== location.origin;
  return isCrossOrigin ? crossSiteStore() : sameSiteStore();
}
