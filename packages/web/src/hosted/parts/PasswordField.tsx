import { useState } from 'react';
import { Icon } from '../../ui/Icon.tsx';
import { useWords } from '../../ui/words.ts';
import classes from './Field.module.css';
import { Field, type FieldProps } from './Field.tsx';

/** A password field with a labelled button to show the password, also by keyboard. */
export function PasswordField(props: Omit<FieldProps, 'label'> & { readonly label?: string }) {
  const t = useWords();
  const [isShown, setShown] = useState(false);
  return (
    <Field
      label={t.password}
      kind="password"
      type={isShown ? 'text' : 'password'}
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      inside={
        <button
          type="button"
          className={classes.toggle}
          aria-label={t.showPassword}
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
        >
          <Icon name={isShown ? 'eye-off' : 'eye'} />
        </button>
      }
      {...props}
    />
  );
}
