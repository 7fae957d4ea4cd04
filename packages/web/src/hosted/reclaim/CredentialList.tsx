import { useLanguage } from '../../ui/language.tsx';
import { useText } from '../text.ts';
import type { Credentials } from './find.ts';
import { Item, Items } from './Items.tsx';

/** Every credential by its name, with the date where there is one. */
export function CredentialList({ credentials }: { credentials: Credentials }) {
  const t = useText().reclaim;
  const { language } = useLanguage();
  const added = (at: string) => t.items.added(new Date(at).toLocaleDateString(language, { dateStyle: 'long' }));
  return (
    <Items label={t.list}>
      {credentials.has_password && <Item title={t.items.password} />}
      {credentials.passkeys.map(({ id, name, created_at }) => (
        <Item key={id} title={t.items.passkey(name)} detail={added(created_at)} />
      ))}
      {credentials.identities.map(({ id, name, email, linked_at }) => (
        <Item key={id} title={email ? `${name}: ${email}` : name} detail={added(linked_at)} />
      ))}
      {credentials.has_totp && <Item title={t.items.totp} />}
    </Items>
  );
}
