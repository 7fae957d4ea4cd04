import { CreateDialog, DialogButton } from '../app/CreateDialog.tsx';
import { RoleForm, type RoleFormProps } from './RoleForm.tsx';
import { useText } from './text.ts';

export function RoleEditor(props: RoleFormProps) {
  const t = useText();
  const { role } = props;
  return role ? (
    <DialogButton size="xs" verb={t.edit} label={`${t.edit}: ${role.name}`} title={t.editTitle(role.name)} wide tall>
      <RoleForm {...props} />
    </DialogButton>
  ) : (
    <CreateDialog verb={t.create} wide tall>
      <RoleForm {...props} />
    </CreateDialog>
  );
}
