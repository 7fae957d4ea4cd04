import type { Overview } from '@gatehouse/contract';
import { useLanguage } from '../../ui/language.tsx';

/** Returns formatters for the hours or days of the charts. Hours are in local time; days start and end in UTC. */
export function useTimeNames(step: Overview['sign_ins']['step']) {
  const { language } = useLanguage();
  const say = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(language, options);
    return (at: string) => format.format(new Date(at));
  };
  return step === 'hour'
    ? {
        short: say({ hour: 'numeric' }),
        long: say({ weekday: 'short', hour: 'numeric', minute: '2-digit' }),
      }
    : {
        short: say({ day: 'numeric', month: 'short', timeZone: 'UTC' }),
        long: say({ weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' }),
      };
}
