import Bowser from 'bowser';

const MAX_LENGTH = 60;

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
