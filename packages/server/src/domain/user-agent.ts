import Bowser from 'bowser';

const MAX_LENGTH = 60;

/** What a browser calls itself, in words for a list: `Firefox on Linux`. */
export function nameOfUserAgent(user_agent: string | null): string {
  if (!user_agent) return 'Unknown browser';
  const parser = Bowser.getParser(user_agent);
  const browser = parser.getBrowserName();
  const system = parser.getOSName();
  const words = [browser || user_agent.split(/[\s/]/, 1)[0]!, system].filter((word) => word !== '');
  return words.join(' on ').slice(0, MAX_LENGTH) || 'Unknown browser';
}
