import type { SignInOptions } from '@gatehouse/contract';
import { useLanguage } from '../../ui/language.tsx';
import { ProviderMark } from '../../ui/ProviderMark.tsx';
import { noteSession } from '../../ui/session-hint.ts';
import { keep } from '../kept.ts';
import { ButtonLink } from '../parts/Button.tsx';
import { useText } from '../text.ts';
import { lastProvider, rememberProvider } from './last-provider.ts';
import classes from './ThirdParties.module.css';

interface Props {
  readonly offered: SignInOptions['oauth'];
  readonly target: string;
  /** Called before the page is left. */
  readonly onLeave?: () => void;
}

/** Links, because the sign-in is a navigation to another site. The provider used last in this browser comes first. */
export function ThirdParties({ offered, target, onLeave }: Props) {
  const t = useText().thirdParty;
  const { language } = useLanguage();
  const last = lastProvider();
  const sorted = offered.toSorted((a, b) => Number(b.provider === last) - Number(a.provider === last));
  return sorted.map(({ provider, name, start_url }) => (
    <div key={provider} className={classes.provider} data-provider={provider}>
      <ButtonLink
        variant="default"
        href={`${start_url}?${new URLSearchParams({ redirect_to: target, locale: language })}`}
        icon={<ProviderMark provider={provider} />}
        onClick={() => {
          rememberProvider(provider);
          keep({ viaSso: false });
          // Record the session now: the sign-in may end on a page of another origin, which cannot record it.
          noteSession();
          onLeave?.();
        }}
      >
        {t.continueWith(name)}
      </ButtonLink>
    </div>
  ));
}
