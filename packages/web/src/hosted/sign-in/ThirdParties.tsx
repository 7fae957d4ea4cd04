import type { SignInOptions } from '@gatehouse/contract';
import { Button } from '@mantine/core';
import { useLanguage } from '../../ui/language.tsx';
import { useText } from '../text.ts';

interface Props {
  readonly offered: SignInOptions['oauth'];
  readonly target: string;
}

/** Links, because the sign-in is a navigation to another site. */
export function ThirdParties({ offered, target }: Props) {
  const t = useText().thirdParty;
  const { language } = useLanguage();
  return offered.map(({ provider, name, start_url }) => (
    <Button
      key={provider}
      variant="default"
      component="a"
      href={`${start_url}?${new URLSearchParams({ redirect_to: target, locale: language })}`}
    >
      {t.continueWith(name)}
    </Button>
  ));
}
