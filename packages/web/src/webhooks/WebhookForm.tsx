import { LIMITS, type NewWebhook, type Webhook } from '@gatehouse/contract';
import { Stack, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { FormButtons } from '../app/FormButtons.tsx';
import { showToast } from '../app/toast-store.ts';
import { useUnsaved } from '../app/unsaved.ts';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { useAction } from '../ui/use-action.ts';
import { useWords } from '../ui/words.ts';
import { PatternField } from './PatternField.tsx';
import { reloadWebhooks, useWebhookSource } from './source.ts';
import { useText } from './text.ts';

interface Props {
  /** Undefined: a new webhook. */
  readonly webhook?: Webhook | undefined;
  readonly onClose: () => void;
  /** Called with the secret of a new webhook, which the service returns only once. */
  readonly onCreated: (secret: string) => void;
}

const sorted = (patterns: readonly string[]): string => [...patterns].sort().join(' ');

/** The service also rejects addresses that it must not call, which this page cannot know. */
function isUsable(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password } = new URL(address);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

export function WebhookForm({ webhook, onClose, onCreated }: Props) {
  const t = useText();
  const words = useWords();
  const source = useWebhookSource();
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [description, setDescription] = useState(webhook?.description ?? '');
  const [events, setEvents] = useState<readonly string[]>(webhook?.events ?? ['*']);
  const [checked, setChecked] = useState(false);
  const body: NewWebhook = { url: url.trim(), description: description.trim(), events: [...events] };
  const change = useAction(async () => {
    if (webhook) {
      const save = async (next: NewWebhook) => {
        await source.change(webhook.id, next);
        await reloadWebhooks(source);
      };
      await save(body);
      const { url: address, description: text, events: patterns } = webhook;
      showToast(t.saved, () => save({ url: address, description: text, events: patterns }));
    } else {
      const { secret } = await source.create(body);
      await reloadWebhooks(source);
      onCreated(secret);
    }
    onClose();
  });
  const isChanged =
    url !== (webhook?.url ?? '') ||
    description !== (webhook?.description ?? '') ||
    sorted(events) !== sorted(webhook?.events ?? ['*']);
  useUnsaved(isChanged && !change.busy);
  const isWrong = !isUsable(body.url);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setChecked(true);
    if (isWrong) event.currentTarget.querySelector('input')?.focus();
    else if (events.length > 0) void change.run();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label={t.url}
          description={t.urlHint}
          required
          inputMode="url"
          maxLength={LIMITS.webhook.url}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus
          error={checked && isWrong && t.urlWrong}
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
        />
        <Textarea
          label={`${t.description} (${t.optional})`}
          maxLength={LIMITS.webhook.description}
          autosize
          minRows={1}
          maxRows={4}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        <PatternField value={events} onChange={setEvents} error={checked && events.length === 0 && t.patterns.none} />
        <ErrorNote
          error={change.error}
          sentences={{ conflict: t.full, invalid_input: t.invalid, forbidden: t.forbidden }}
        />
        <FormButtons verb={webhook ? words.save : t.createVerb} busy={change.busy} onCancel={onClose} />
      </Stack>
    </form>
  );
}
