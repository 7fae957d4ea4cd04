import type { Ref } from 'react';
import { Icon } from '../../ui/Icon.tsx';
import { useLanguage } from '../../ui/language.tsx';
import { noteSession } from '../../ui/session-hint.ts';
import { keep } from '../kept.ts';
import { ButtonLink } from '../parts/Button.tsx';
import { useText } from '../text.ts';
import type { Connection } from './use-connection.ts';

interface Props {
  readonly connection: Connection;
  readonly target: string;
  readonly email: string;
  readonly ref?: Ref<HTMLAnchorElement>;
}

/** A link, because the sign-in is a navigation to the organization's provider, which gets the typed address. */
export function SsoLink({ connection: { name, start_url, required }, target, email, ref }: Props) {
  const t = useText().thirdParty;
  const { language } = useLanguage();
  return (
    <ButtonLink
      ref={ref}
      variant={required ? 'filled' : 'default'}
      icon={<Icon name="building" />}
      href={`${start_url}?${new URLSearchParams({ redirect_to: target, login_hint: email, locale: language })}`}
      onClick={() => {
        keep({ viaSso: true });
        // Record the session now: the sign-in may end on a page of another origin, which cannot record it.
        noteSession();
      }}
    >
      {t.continueWith(name)}
    </ButtonLink>
  );
}
