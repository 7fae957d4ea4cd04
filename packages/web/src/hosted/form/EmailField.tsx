import { useWords } from '../../ui/words.ts';
import { Field, type FieldProps } from '../parts/Field.tsx';

/** Not `type="email"`: browsers rewrite a domain such as `müller.example` there, and its account would not be found. */
export function EmailField(props: Omit<FieldProps, 'label'>) {
  const words = useWords();
  return (
    <Field
      label={words.email}
      name="email"
      inputMode="email"
      autoComplete="username"
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      required
      {...props}
    />
  );
}
