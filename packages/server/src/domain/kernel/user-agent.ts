import Bowser from 'bowser';

const MAX_LENGTH = 60;

const BROWSERS: ReadonlySet<string> = new Set(Object.values(Bowser.BROWSER_MAP));
const SYSTEMS: ReadonlySet<string> = new Set(Object.values(Bowser.OS_MAP));

/** For text that another user reads: only known names, because the client chooses the header. Null if none is known. */
export function knownDevice(user_agent: string | null): string | null {
  if (!user_agent) return null;
  const parser = Bowser.getParser(user_agent, true);
  const browser = parser.getBrowserName();
  const system = parser.getOSName();
  const words = [BROWSERS.has(browser) && browser, SYSTEMS.has(system) && system].filter(Boolean);
  return words.join(' on ') || null;
}

export function nameOfUserAgent(user_agent: string | null): string {
  if (!user_agent) return 'Unknown browser';
  // `true` skips parsing until a value is requested: a list may have a thousand entries.
  const parser = Bowser.getParser(user_agent, true);
  const browser = parser.getBrowserName();
  const system = parser.getOSName();
  const words = [browser || user_agent.split(/[\s/]/, 1)[0]!, system].filter((word) => word !== '');
  return words.join(' on ').slice(0, MAX_LENGTH) || 'Unknown browser';
}
