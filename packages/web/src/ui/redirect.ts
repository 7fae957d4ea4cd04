const HOME = '/';
/** The limit of the service. Applies to input and result, because encoding makes a URL longer. */
const MAX_LENGTH = 1024;

/**
 * Returns where a sign-in may lead. The value of the link is untrusted: only a path on this origin or a URL on an
 * origin in REDIRECT_ORIGINS is accepted; anything else becomes the home page.
 */
export function safeRedirect(given: string | null, origin: string, listed: readonly string[]): string {
  const goal = goalOf(given, origin, listed);
  return goal.length > MAX_LENGTH ? HOME : goal;
}

/** Also rejects `\`, which browsers read as `/`. */
function goalOf(given: string | null, origin: string, listed: readonly string[]): string {
  if (!given || given.length > MAX_LENGTH || !given.isWellFormed() || /[\p{Cc}\p{Z}\\]/u.test(given)) return HOME;
  const isPath = given.startsWith('/') && !given.startsWith('//');
  if (!isPath && !/^https?:\/\/[^/]/i.test(given)) return HOME;
  const url = URL.canParse(given, origin) ? new URL(given, origin) : undefined;
  if (url?.username !== '' || url.password !== '') return HOME;
  if (!isPath) return listed.includes(url.origin) ? url.href : HOME;
  // A path that starts with `//` would be another host if it were parsed again.
  return url.origin === origin && !url.pathname.startsWith('//') ? url.pathname + url.search + url.hash : HOME;
}
