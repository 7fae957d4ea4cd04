import { lazy, Suspense } from 'react';

/** The estimate needs a list of common passwords, which is larger than the pages: loaded with the first character. */
const StrengthMeter = lazy(() =>
  import('./strength/StrengthMeter.tsx').then(({ StrengthMeter: Meter }) => ({ default: Meter })),
);

interface Props {
  readonly password: string;
  /** What the user has typed in other fields: a password that contains it is easy to guess. */
  readonly related: readonly string[];
}

/** Shows how hard a new password is to guess, while it is typed. */
export const PasswordStrength = (props: Props) =>
  props.password !== '' && (
    <Suspense fallback={null}>
      <StrengthMeter {...props} />
    </Suspense>
  );
