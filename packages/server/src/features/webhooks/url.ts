import type { Deps } from '../../domain/context.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';

const invalid = (message: string) => new ServiceError('invalid_input', `url: ${message}`);

/** Returns the URL to store. The IP address of its host is checked at each delivery. */
export function checkedUrl({ config }: Pick<Deps, 'config'>, given: string): string {
  const text = given.trim();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw invalid('must be an absolute https URL');
  if (url.protocol !== 'https:' && config.NODE_ENV === 'production') throw invalid('must begin with https://');
  if (url.username !== '' || url.password !== '') throw invalid('must not contain a user name or password');
  return text;
}
