import type { MfaSetup } from '@gatehouse/contract';
import { Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { FormButtons } from '../../app/FormButtons.tsx';
import { useForm } from '../../app/use-form.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useWords } from '../../ui/words.ts';
import classes from './Enrol.module.css';
import { useText } from './text.ts';

interface Props {
  readonly setup: MfaSetup;
  readonly onEnabled: (recovery_codes: readonly string[]) => Promise<void>;
}

/** Groups of four are easier to type. Apps accept the spaces. */
const inGroups = (secret: string): string => secret.match(/.{1,4}/g)?.join(' ') ?? secret;

export function EnrolForm({ setup, onEnabled }: Props) {
  const t = useText().enrol;
  const words = useWords();
  const form = useForm({
    values: { code: '' },
    guarded: false,
    send: async ({ code }) => {
      const { recovery_codes } = await client.mfa.enable(code.replaceAll(/\s/g, ''));
      await onEnabled(recovery_codes);
    },
  });
  const sentences = {
    authentication_required: t.wrong,
    invalid_input: words.codeWrong,
    rate_limited: t.locked,
    conflict: t.ended,
  };
  return (
    <form {...form.props}>
      <Stack>
        <Text size="sm">{t.scan}</Text>
        <img className={classes.picture} src={setup.qr_code} alt={t.qrCode} width={192} height={192} />
        <div>
          <Text size="sm" mb={4}>
            {t.type}
          </Text>
          <Group gap="xs">
            <Code className={classes.secret}>{inGroups(setup.secret)}</Code>
            <CopyButton value={setup.secret} label={t.copyKey} />
          </Group>
        </div>
        <ErrorNote error={form.error} sentences={sentences} />
        <TextInput
          label={t.code}
          description={t.codeHint}
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          data-autofocus
          {...form.field('code')}
        />
        <FormButtons verb={t.verb} busy={form.busy} />
      </Stack>
    </form>
  );
}
