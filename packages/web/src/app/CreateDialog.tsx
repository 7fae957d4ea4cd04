import { Button, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Icon } from '../ui/Icon.tsx';
import { FormDialog } from './FormDialog.tsx';

interface Props extends Omit<ButtonProps, 'children'> {
  /** The text of the button. */
  readonly verb: string;
  /** The title of the dialog; without it, that of the button. */
  readonly title?: string;
  /** The accessible name of the button, for a row of a list where the text does not name the item. */
  readonly label?: string | undefined;
  /** A dialog that grows: it is wide and stays at the top. */
  readonly tall?: boolean;
  readonly wide?: boolean;
  readonly onOpen?: () => void;
  /** The form. It closes the dialog with `useCloseDialog`. */
  readonly children: ReactNode;
}

/** A button that opens a dialog with a form. */
export function DialogButton({ verb, title = verb, label, tall, wide, onOpen, children, ...button }: Props) {
  const [opened, { open, close }] = useDisclosure(false, { ...(onOpen && { onOpen }) });
  return (
    <>
      <Button variant="default" {...button} aria-label={label} onClick={open}>
        {verb}
      </Button>
      <FormDialog opened={opened} onClose={close} title={title} centered={!tall} {...(wide && { size: 'lg' })}>
        {children}
      </FormDialog>
    </>
  );
}

/** The button of a page that creates an item, with the form in a dialog. */
export const CreateDialog = (props: Props) => (
  <DialogButton variant="filled" leftSection={<Icon name="add" />} {...props} />
);
