import { isGatehouseError } from '@gatehouse/client';
import { Button, Divider, Stack, Text, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useWords } from '../../ui/words.ts';
import { useForm } from '../use-form.ts';
import { ByPasskey } from './ByPasskey.tsx';
import { useHasPasskey } from './sign-in-methods.ts';
import { useText } from './text.ts';

export function SecondFactor({ onDone }: { onDone: () => void }) {
  const t = useText();
  const words = useWords();
  const hasPasskey = useHasPasskey();
  const [byRecovery, setByRecovery] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the field is replaced when byRecovery changes
  useEffect(() => field.current?.focus(), [byRecovery]);
  const form = useForm({
    values: { code: '' },
    guarded: false,
    send: async ({ code }) => {
      const given = byRecovery ? { recovery_code: code.trim() } : { code: code.replaceAll(/\s/g, '') };
      await client.mfa.verify(given).catch((error) => {
        // MFA was turned off in another session in the meantime. The repeated request says what it needs instead.
        if (!isGatehouseError(error, 'conflict')) throw error;
      });
      onDone();
    },
  });
  const other = () => {
    form.clear();
    form.set({ code: '' });
    setByRecovery(!byRecovery);
  };
  const sentences = {
    authentication_required: byRecovery ? t.wrongRecoveryCode : t.wrongCode,
    invalid_input: byRecovery ? t.wrongRecoveryCode : words.codeWrong,
    rate_limited: t.codesLocked,
  };
  return (
    <form {...form.props}>
      <Stack>
        <Text size="sm">{t.nothingLost}</Text>
        <ErrorNote error={form.error} sentences={sentences} />
        <TextInput
          key={String(byRecovery)}
          ref={field}
          data-autofocus
          label={byRecovery ? t.recoveryCode : t.code}
          description={byRecovery ? t.recoveryHint : t.codeHint}
          inputMode={byRecovery ? 'text' : 'numeric'}
          autoComplete={byRecovery ? 'off' : 'one-time-code'}
          autoCapitalize="none"
          spellCheck={false}
          required
          {...form.field('code')}
        />
        <Button type="submit" loading={form.busy}>
          {words.confirm}
        </Button>
        <Button variant="subtle" onClick={other}>
          {byRecovery ? t.useApp : t.useRecovery}
        </Button>
        {hasPasskey && <Divider />}
        {hasPasskey && <ByPasskey onDone={onDone} />}
      </Stack>
    </form>
  );
}
