const HOME = '/';
/** As the service has it, in and out: what needs to be encoded grows. */
const MAX_LENGTH = 1024;

/**
 * Where a sign-in leads, from what a link says. The page decides this anew, since anybody can write such a link: a path on our own
 * origin, or a URL on an origin the operator has listed; anything else is home.
 */
export function safeRedirect(given: string | null, origin: string, listed: readonly string[]): string {
  const goal = goalOf(given, origin, listed);
  return goal.length > MAX_LENGTH ? HOME : goal;
}

/** Browsers read `\` as `/`. */
function goalOf(given: string | null, origin: string, listed: readonly string[]): string {
  if (!given || given.length > MAX_LENGTH || !given.isWellFormed() || /[\p{Cc}\p{Z}\\]/u.test(given)) return HOME;
  const isPath = given.startsWith('/') && !given.startsWith('//');
  if (!isPath && !/^https?:\/\/[^/]/i.test(given)) return HOME;
  const url = URL.canParse(given, origin) ? new URL(given, origin) : undefined;
  if (url?.username !== '' || url.password !== '') return HOME;
  if (!isPath) return listed.includes(url.origin) ? url.href : HOME;
  // Read once more by somebody else, `//` at the front is another host.
  return url.origin === origin && !url.pathname.startsWith('//') ? url.pathname + url.search + url.hash : HOME;
}
