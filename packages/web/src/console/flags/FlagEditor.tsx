import { FormDialog } from '../../app/FormDialog.tsx';
import { FlagForm, type FlagFormProps } from './FlagForm.tsx';
import { useText } from './text.ts';

export function FlagEditor({ opened, ...form }: FlagFormProps & { readonly opened: boolean }) {
  const t = useText();
  return (
    <FormDialog
      opened={opened}
      onClose={form.onClose}
      title={form.flagKey === undefined ? t.create : t.editTitle(form.flagKey)}
      size="lg"
      centered={false}
    >
      <FlagForm {...form} />
    </FormDialog>
  );
}
