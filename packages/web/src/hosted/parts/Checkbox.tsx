import { useId } from 'react';
import classes from './Field.module.css';

interface Props {
  readonly label: string;
  readonly description: string;
  readonly checked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

export function Checkbox({ label, description, checked, onChange }: Props) {
  const id = useId();
  return (
    <div className={classes.choice}>
      <input
        id={id}
        type="checkbox"
        checked={checked}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label htmlFor={id}>{label}</label>
      <span className={classes.hint} id={`${id}-hint`}>
        {description}
      </span>
    </div>
  );
}
