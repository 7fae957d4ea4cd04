import { isGatehouseError } from '@gatehouse/client';
import { LIMITS } from '@gatehouse/contract';
import { PasswordInput, TextInput } from '@mantine/core';
import type { Text } from './text/en.ts';
import { useText } from './text.ts';

export interface Typed {
  readonly name: string;
  readonly issuer: string;
  readonly client_id: string;
  readonly client_secret: string;
}

/** The service also rejects addresses that it must not call, which this page cannot know. */
function isIssuer(typed: string): boolean {
  if (!URL.canParse(typed) || /[?#]/.test(typed)) return false;
  const { protocol, username, password } = new URL(typed);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

type Faults = Partial<Record<keyof Typed, string>>;

export function faultsIn({ name, issuer, client_id }: Typed, t: Text): Faults {
  return {
    ...(name.trim() === '' && { name: t.nameMissing }),
    ...(!isIssuer(issuer.trim()) && { issuer: t.issuerWrong }),
    ...(client_id.trim() === '' && { client_id: t.clientMissing }),
  };
}

/** Returns the body of a request. An empty secret is left out. */
export const bodyOf = ({ name, issuer, client_id, client_secret }: Typed) => ({
  name: name.trim(),
  issuer: issuer.trim(),
  client_id: client_id.trim(),
  ...(client_secret !== '' && { client_secret }),
});

/** The sentences for a rejected connection: the service names the field. */
export const sentencesFor = (error: unknown, t: Text) => ({
  invalid_input: isGatehouseError(error) && error.fields.includes('client_secret') ? t.noKey : t.rejected,
  rate_limited: t.tooOften,
});

interface Props {
  readonly value: Typed;
  readonly onChange: (value: Typed) => void;
  readonly faults: Faults;
  readonly secretHint: string;
}

export function ProviderFields({ value, onChange, faults, secretHint }: Props) {
  const t = useText();
  const field = (name: keyof Typed) => ({
    value: value[name],
    error: faults[name],
    autoComplete: 'off',
    spellCheck: false,
    onChange: (event: React.ChangeEvent<HTMLInputElement>) => onChange({ ...value, [name]: event.currentTarget.value }),
  });
  return (
    <>
      <TextInput
        label={t.name}
        description={t.nameHint}
        required
        maxLength={LIMITS.sso.name}
        data-autofocus
        {...field('name')}
      />
      <TextInput
        label={t.issuer}
        description={t.issuerHint}
        required
        inputMode="url"
        autoCapitalize="none"
        maxLength={LIMITS.sso.issuer}
        {...field('issuer')}
      />
      <TextInput
        label={t.client_id}
        description={t.clientHint}
        required
        autoCapitalize="none"
        maxLength={LIMITS.sso.clientId}
        {...field('client_id')}
      />
      <PasswordInput
        label={t.secret}
        description={secretHint}
        visibilityToggleButtonProps={{ 'aria-label': t.showSecret }}
        {...field('client_secret')}
      />
    </>
  );
}
