import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorNote, type Sentences } from '../ui/ErrorNote.tsx';
import { FormButtons } from './FormButtons.tsx';
import type { Form } from './use-form.ts';

interface Props {
  readonly form: Form;
  /** The label of the button that sends the form. */
  readonly verb: string;
  readonly sentences?: Sentences;
  readonly noValidate?: boolean;
  /** The fields. */
  readonly children: ReactNode;
}

/** A form in a dialog: its fields, the error of the service, and the buttons. */
export const DialogForm = ({ form, verb, sentences, noValidate = false, children }: Props) => (
  <form {...form.props} noValidate={noValidate}>
    <Stack>
      {children}
      <ErrorNote error={form.error} sentences={sentences} />
      <FormButtons verb={verb} busy={form.busy} />
    </Stack>
  </form>
);
