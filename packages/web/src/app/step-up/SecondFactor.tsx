import { isGatehouseError } from '@gatehouse/client';
import { Button, Divider, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { ByPasskey } from './ByPasskey.tsx';
import { useHasPasskey } from './sign-in-methods.ts';
import { useText } from './text.ts';

export function SecondFactor({ onDone }: { onDone: () => void }) {
  const t = useText();
  const words = useWords();
  const hasPasskey = useHasPasskey();
  const [byRecovery, setByRecovery] = useState(false);
  const [code, setCode] = useState('');
  const field = useRef<HTMLInputElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the field is replaced when byRecovery changes
  useEffect(() => field.current?.focus(), [byRecovery]);
  const verify = useAction(async () => {
    const given = byRecovery ? { recovery_code: code.trim() } : { code: code.replaceAll(/\s/g, '') };
    await client.mfa.verify(given).catch((error) => {
      // MFA was turned off in another session in the meantime. The repeated request says what it needs instead.
      if (!isGatehouseError(error, 'conflict')) throw error;
    });
    onDone();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void verify.run();
  };
  const other = () => {
    verify.clear();
    setCode('');
    setByRecovery(!byRecovery);
  };
  const sentences = {
    authentication_required: byRecovery ? t.wrongRecoveryCode : t.wrongCode,
    invalid_input: byRecovery ? t.wrongRecoveryCode : words.codeWrong,
    rate_limited: t.codesLocked,
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{t.nothingLost}</Text>
        <ErrorNote error={verify.error} sentences={sentences} />
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
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <Button type="submit" loading={verify.busy}>
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
