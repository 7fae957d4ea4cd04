import type { Overview } from '@gatehouse/contract';
import { useLanguage } from '../../ui/language.tsx';

/** What people call an hour or a day of the charts. Hours are told in their own time; days begin and end in UTC, so they are told in that. */
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
