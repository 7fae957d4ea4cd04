import { type ComponentProps, type ReactNode, useId } from 'react';
import classes from './Field.module.css';

export interface FieldProps extends ComponentProps<'input'> {
  readonly label: string;
  readonly description?: string;
  readonly error?: string | undefined;
  readonly kind?: 'code' | 'password';
  readonly inside?: ReactNode;
  readonly below?: ReactNode;
}

/** A text field with its label, hint and error. Nearly all fields are required, so the optional ones are marked. */
export function Field({ label, description, error, kind, inside, below, ...rest }: FieldProps) {
  const id = useId();
  const described = [description && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className={classes.field}>
      <label className={classes.label} htmlFor={id}>
        {label}
      </label>
      {description && (
        <span className={classes.hint} id={`${id}-hint`}>
          {description}
        </span>
      )}
      <div className={classes.box}>
        <input
          id={id}
          className={classes.input}
          data-kind={kind}
          aria-describedby={described || undefined}
          aria-invalid={error ? true : undefined}
          {...rest}
        />
        {inside}
      </div>
      {error && (
        <span className={classes.error} id={`${id}-error`}>
          {error}
        </span>
      )}
      {below}
    </div>
  );
}
