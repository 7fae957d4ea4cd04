import { isGatehouseError } from '@gatehouse/client';
import { LIMITS } from '@gatehouse/contract';
import { PasswordInput, TextInput } from '@mantine/core';
import type { Faults, useForm } from '../../app/use-form.ts';
import type { Text } from './text/en.ts';
import { useText } from './text.ts';

interface Typed {
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

export function faultsIn({ name, issuer, client_id }: Typed, t: Text): Faults<Typed> {
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
  readonly field: ReturnType<typeof useForm<Typed>>['field'];
  readonly secretHint: string;
}

export function ProviderFields({ field, secretHint }: Props) {
  const t = useText();
  const plain = { autoComplete: 'off', spellCheck: false };
  return (
    <>
      <TextInput
        label={t.name}
        description={t.nameHint}
        required
        maxLength={LIMITS.sso.name}
        data-autofocus
        {...plain}
        {...field('name')}
      />
      <TextInput
        label={t.issuer}
        description={t.issuerHint}
        required
        inputMode="url"
        autoCapitalize="none"
        maxLength={LIMITS.sso.issuer}
        {...plain}
        {...field('issuer')}
      />
      <TextInput
        label={t.client_id}
        description={t.clientHint}
        required
        autoCapitalize="none"
        maxLength={LIMITS.sso.clientId}
        {...plain}
        {...field('client_id')}
      />
      <PasswordInput
        label={t.secret}
        description={secretHint}
        visibilityToggleButtonProps={{ 'aria-label': t.showSecret }}
        {...plain}
        {...field('client_secret')}
      />
    </>
  );
}
