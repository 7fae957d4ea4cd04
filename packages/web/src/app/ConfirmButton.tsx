import { Button, type ButtonProps, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { ErrorNote, type Sentences } from '../ui/ErrorNote.tsx';
import { useAction } from '../ui/use-action.ts';
import { useWords } from '../ui/words.ts';

export interface Confirmation extends Omit<ButtonProps, 'children'> {
  /** The text of the button; without it, `verb`. */
  readonly children?: ReactNode;
  /** The accessible name, for a row of a list where the text does not name the item. */
  readonly label?: string;
  readonly title: string;
  readonly question: ReactNode;
  /** The label of the button that confirms. */
  readonly verb: string;
  readonly work: () => Promise<unknown>;
  readonly sentences?: Sentences;
  readonly danger?: boolean;
  /** For the most serious actions: text that the user has to type to enable the button. */
  readonly typed?: { readonly label: string; readonly text: string };
}

/** A button for an irreversible action. Its dialog asks for confirmation and shows errors. */
export function ConfirmButton(props: Confirmation) {
  const { verb, children = verb, label, title, question, work, sentences, danger = true, typed, ...rest } = props;
  const words = useWords();
  const [opened, { open, close }] = useDisclosure();
  const [text, setText] = useState('');
  const action = useAction(work);
  useFocusWhenGone(opened);
  const begin = () => {
    action.clear();
    setText('');
    open();
  };
  const act = async (event: FormEvent) => {
    event.preventDefault();
    if (await action.run()) close();
  };
  return (
    <>
      <Button variant="default" size="xs" {...rest} aria-label={label} onClick={begin}>
        {children}
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={title}
        centered
        closeButtonProps={{ 'aria-label': words.close }}
        // While the action runs, it may open the step-up dialog, which then handles Escape.
        closeOnEscape={!action.busy}
      >
        <form onSubmit={(event) => void act(event)}>
          <Stack>
            <Text component="div" style={{ overflowWrap: 'anywhere' }}>
              {question}
            </Text>
            {typed && (
              <TextInput
                label={typed.label}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                value={text}
                onChange={(event) => setText(event.currentTarget.value)}
                data-autofocus
              />
            )}
            <ErrorNote error={action.error} sentences={sentences} />
            <Group justify="flex-end">
              <Button variant="default" onClick={close} data-autofocus={(danger && !typed) || undefined}>
                {words.cancel}
              </Button>
              <Button
                type="submit"
                color={danger ? 'red' : undefined}
                loading={action.busy}
                disabled={typed !== undefined && text.trim() !== typed.text}
                data-autofocus={!danger || undefined}
              >
                {verb}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}

/** Moves the focus to the page if the confirmed action removes the button; otherwise the focus would be lost. */
function useFocusWhenGone(opened: boolean): void {
  const wasOpen = useRef(opened);
  wasOpen.current = opened;
  useEffect(
    () => () => {
      if (wasOpen.current) document.getElementById('content')?.focus({ preventScroll: true });
    },
    [],
  );
}
