import type { CreatedApiKey } from '@gatehouse/contract';
import { Button, type ButtonProps, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { FormDialog } from '../../app/FormDialog.tsx';
import { useSession } from '../../app/session.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { settings } from '../../ui/settings.ts';
import classes from './KeyDialog.module.css';
import { reloadMachines } from './query.ts';
import { useText } from './text.ts';

interface Props extends Omit<ButtonProps, 'children'> {
  /** The text of the button that opens the dialog. */
  readonly verb: string;
  readonly label?: string;
  readonly title: string;
  /** The form. It calls `show` with the key that it has created. */
  readonly children: (show: (created: CreatedApiKey) => void) => ReactNode;
}

/** A button that opens a dialog with a form that creates a key, and then shows the key, which is shown only once. */
export function KeyDialog({ verb, label, title, children, ...button }: Props) {
  const t = useText().keys;
  const [opened, dialog] = useDisclosure();
  const [created, setCreated] = useState<CreatedApiKey>();
  const close = () => {
    dialog.close();
    setCreated(undefined);
  };
  const show = (key: CreatedApiKey) => {
    setCreated(key);
    void reloadMachines();
  };
  return (
    <>
      <Button {...button} aria-label={label} onClick={dialog.open}>
        {verb}
      </Button>
      <FormDialog
        opened={opened}
        onClose={close}
        title={created ? t.shownTitle : title}
        // The key would be lost by an accidental Escape or click, so that only the button closes the dialog.
        {...(created && { closeOnEscape: false, closeOnClickOutside: false, withCloseButton: false })}
      >
        {created ? <Shown created={created} onDone={close} /> : children(show)}
      </FormDialog>
    </>
  );
}

/** A request that works with this key. */
function commandOf({ key, allowed_referrers: [origin] }: CreatedApiKey, organization_id: string): string {
  const headers = [`Authorization: Bearer ${key}`, ...(origin === undefined ? [] : [`Origin: ${origin}`])];
  const base = new URL(settings.api, location.origin).href;
  return `curl ${headers.map((header) => `-H '${header}'`).join(' ')} ${base}/orgs/${organization_id}/members`;
}

function Shown({ created, onDone }: { created: CreatedApiKey; onDone: () => void }) {
  const t = useText().keys;
  const { organization_id } = useSession().user;
  const command = commandOf(created, organization_id);
  const lead = useRef<HTMLParagraphElement>(null);
  // The button that had the focus is gone.
  useEffect(() => lead.current?.focus(), []);
  return (
    <Stack>
      <Text ref={lead} tabIndex={-1} className={classes.lead}>
        {t.shown}
      </Text>
      <Text size="sm" fw={600}>
        {t.value}
      </Text>
      <code className={classes.secret}>{created.key}</code>
      <Group gap="xs">
        <CopyButton value={created.key} label={t.copy} />
      </Group>
      <Text size="sm" fw={600}>
        {t.tryIt}
      </Text>
      <code className={classes.secret}>{command}</code>
      <Group gap="xs">
        <CopyButton value={command} label={t.copyCommand} />
      </Group>
      <Group justify="flex-end">
        <Button onClick={onDone}>{t.done}</Button>
      </Group>
    </Stack>
  );
}
