import Bowser from 'bowser';

const MAX_LENGTH = 60;

const BROWSERS: ReadonlySet<string> = new Set(Object.values(Bowser.BROWSER_MAP));
const SYSTEMS: ReadonlySet<string> = new Set(Object.values(Bowser.OS_MAP));

/**
 * The same for someone else to read, in a mail or before they sign in: only known names, because the sender chooses the
 * text of the header. Null when there is none.
 */
export function knownDevice(user_agent: string | null): string | null {
  if (!user_agent) return null;
  const parser = Bowser.getParser(user_agent, true);
  const browser = parser.getBrowserName();
  const system = parser.getOSName();
  const words = [BROWSERS.has(browser) && browser, SYSTEMS.has(system) && system].filter(Boolean);
  return words.join(' on ') || null;
}

/** What a browser calls itself, in words for a list: `Firefox on Linux`. */
export function nameOfUserAgent(user_agent: string | null): string {
  if (!user_agent) return 'Unknown browser';
  // Nothing is read before it is asked for: a list may have a thousand of them.
  const parser = Bowser.getParser(user_agent, true);
  const browser = parser.getBrowserName();
  const system = parser.getOSName();
  const words = [browser || user_agent.split(/[\s/]/, 1)[0]!, system].filter((word) => word !== '');
  return words.join(' on ').slice(0, MAX_LENGTH) || 'Unknown browser';
}
