import type { Interaction } from '@gatehouse/contract';
import classes from './Choice.module.css';
import { useText } from './text.ts';

interface Props {
  readonly organizations: Interaction['organizations'];
  /** The selected organization; undefined if `organizations` is empty. */
  readonly value: string | undefined;
  readonly onChange: (id: string) => void;
}

/** The organization that the application sees: a choice if the user is a member of several. */
export function OrganizationField({ organizations, value, onChange }: Props) {
  const t = useText();
  const [only] = organizations;
  if (!only) return null;
  if (organizations.length === 1) return <p>{t.organization(only.name)}</p>;
  return (
    <fieldset className={classes.organizations}>
      <legend>{t.organizations.legend}</legend>
      {organizations.map(({ id, name }) => (
        <label key={id}>
          <input type="radio" name="organization" checked={id === value} onChange={() => onChange(id)} />
          {name}
        </label>
      ))}
    </fieldset>
  );
}
