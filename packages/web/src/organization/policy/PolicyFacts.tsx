import type { Policy } from '@gatehouse/contract';
import { Fact, Facts } from '../../app/Facts.tsx';
import { useLanguage } from '../../ui/language.tsx';
import { useText } from '../text.ts';
import { ageInWords } from './age.ts';

/** Describes the sign-in rules in words, for members and in the console. */
export function PolicyFacts({ policy }: { policy: Policy }) {
  const t = useText().policy;
  const { language } = useLanguage();
  const { require_mfa, allowed_methods: methods, session_max_age_seconds, allowed_networks: networks } = policy;
  const list = (words: readonly string[]) => new Intl.ListFormat(language, { type: 'conjunction' }).format(words);
  return (
    <Facts>
      <Fact name={t.mfa}>{require_mfa ? t.required : t.notRequired}</Fact>
      <Fact name={t.methods}>{methods ? list(methods.map((method) => t.methodNames[method])) : t.anyMethod}</Fact>
      <Fact name={t.ssoFact}>{policy.sso_required ? t.required : t.notRequired}</Fact>
      <Fact name={t.age}>{ageInWords(session_max_age_seconds, t.ages)}</Fact>
      <Fact name={t.networks}>{networks.length === 0 ? t.everywhere : networks.join(', ')}</Fact>
    </Facts>
  );
}
