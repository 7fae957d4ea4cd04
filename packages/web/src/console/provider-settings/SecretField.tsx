import { PROVIDER_INFO, type ProviderView } from '@gatehouse/contract';
import { Button, Group, Input, PasswordInput, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { ConfirmButton } from '../../app/ConfirmButton.tsx';
import { Tag } from '../../app/Tag.tsx';
import { client } from '../../ui/client.ts';
import { guideOf } from './guide.ts';
import { showProvider } from './query.ts';
import { useText } from './text.ts';

interface Props {
  readonly view: ProviderView;
  readonly canSeal: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error: string | undefined;
}

/** The secret is write-only: a stored one can be kept, replaced or cleared. */
export function SecretField({ view, canSeal, value, onChange, error }: Props) {
  const t = useText();
  const { secret: label, secretHelp } = guideOf(view, t);
  const [replacing, setReplacing] = useState(false);
  const stop = () => {
    setReplacing(false);
    onChange('');
  };
  // Closes the field once another secret is saved.
  const [updated_at, setUpdatedAt] = useState(view.updated_at);
  if (updated_at !== view.updated_at) {
    setUpdatedAt(view.updated_at);
    setReplacing(false);
  }
  // Sends the stored values, not those in the form.
  const clear = async () => {
    const { provider, enabled, public_config } = view;
    showProvider(await client.providers.save(provider, { enabled, public_config, clear_secret: true }));
  };
  if (view.secret_set && !replacing) {
    return (
      <Input.Wrapper label={label} labelElement="div" error={error}>
        <Text size="sm" c="dimmed" mb={6}>
          {t.secretKept}
        </Text>
        <Group gap="sm">
          <Tag marked tone="good">
            {t.secretSet}
          </Tag>
          {canSeal && (
            <Button variant="default" size="xs" onClick={() => setReplacing(true)}>
              {t.replace}
            </Button>
          )}
          <ConfirmButton
            title={t.clearTitle}
            question={t.clearQuestion(view.name)}
            verb={t.clearSecret}
            work={clear}
            sentences={{ rate_limited: t.tooOften }}
          />
        </Group>
      </Input.Wrapper>
    );
  }
  if (!canSeal) {
    return (
      <Input.Wrapper label={label} labelElement="div" error={error}>
        <Text size="sm">{t.noKeyHere}</Text>
      </Input.Wrapper>
    );
  }
  const shared = {
    label,
    description: secretHelp,
    error,
    value,
    autoComplete: 'off',
    spellCheck: false,
    // The user has just opened the field.
    autoFocus: replacing,
  };
  return (
    <div>
      {PROVIDER_INFO[view.provider].secret === 'pem' ? (
        <Textarea
          {...shared}
          required
          autosize
          minRows={4}
          maxRows={10}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      ) : (
        <PasswordInput
          {...shared}
          required
          visibilityToggleButtonProps={{ 'aria-label': t.showSecret }}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )}
      {replacing && (
        <Button variant="subtle" size="xs" mt={6} onClick={stop}>
          {t.keep}
        </Button>
      )}
    </div>
  );
}
