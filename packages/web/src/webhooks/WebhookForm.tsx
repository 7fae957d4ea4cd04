import { LIMITS, type NewWebhook, type Webhook } from '@gatehouse/contract';
import { Textarea, TextInput } from '@mantine/core';
import { DialogForm } from '../app/DialogForm.tsx';
import { showToast } from '../app/toast-store.ts';
import { useCloseDialog } from '../app/unsaved.ts';
import { useForm } from '../app/use-form.ts';
import { useWords } from '../ui/words.ts';
import { PatternField } from './PatternField.tsx';
import { reloadWebhooks, useWebhookSource } from './source.ts';
import { useText } from './text.ts';

interface Props {
  /** Undefined: a new webhook. */
  readonly webhook?: Webhook;
  /** Called with the secret of a new webhook, which the service returns only once. */
  readonly onCreated?: (secret: string) => void;
}

/** The service also rejects addresses that it must not call, which this page cannot know. */
function isUsable(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password } = new URL(address);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

export function WebhookForm({ webhook, onCreated }: Props) {
  const t = useText();
  const words = useWords();
  const source = useWebhookSource();
  const close = useCloseDialog();
  const values = {
    url: webhook?.url ?? '',
    description: webhook?.description ?? '',
    events: (webhook?.events ?? ['*']) as readonly string[],
  };
  const save = async ({ url, description, events }: typeof values) => {
    const body: NewWebhook = { url: url.trim(), description: description.trim(), events: [...events] };
    const created = webhook ? undefined : await source.create(body);
    if (webhook) await source.change(webhook.id, body);
    await reloadWebhooks(source);
    return created?.secret;
  };
  const form = useForm({
    values,
    check: ({ url, events }) => ({
      url: isUsable(url.trim()) ? undefined : t.urlWrong,
      events: events.length > 0 ? undefined : t.patterns.none,
    }),
    send: async (typed) => {
      const secret = await save(typed);
      if (secret === undefined) showToast(t.saved, () => save(values));
      else onCreated?.(secret);
      close();
    },
  });
  return (
    <DialogForm
      form={form}
      verb={webhook ? words.save : t.createVerb}
      sentences={{ conflict: t.full, invalid_input: t.invalid, forbidden: t.forbidden }}
      noValidate
    >
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
        {...form.field('url')}
      />
      <Textarea
        label={`${t.description} (${t.optional})`}
        maxLength={LIMITS.webhook.description}
        autosize
        minRows={1}
        maxRows={4}
        {...form.field('description')}
      />
      <PatternField {...form.field('events')} />
    </DialogForm>
  );
}
