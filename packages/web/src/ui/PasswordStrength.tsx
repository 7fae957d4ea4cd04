import { Component, lazy, type ReactNode, Suspense } from 'react';

/** The estimate needs a list of common passwords, which is larger than the pages: loaded with the first character. */
const StrengthMeter = lazy(() =>
  import('./strength/StrengthMeter.tsx').then(({ StrengthMeter: Meter }) => ({ default: Meter })),
);

/** As high as the meter with one line: a button below that moves during a click would miss the click. */
const PLACEHOLDER = <div style={{ height: '2.3rem' }} />;

/** The form works without the estimate: if it cannot be loaded, nothing is shown. */
class Optional extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };
  static getDerivedStateFromError = () => ({ failed: true });
  override render() {
    return !this.state.failed && <Suspense fallback={PLACEHOLDER}>{this.props.children}</Suspense>;
  }
}

interface Props {
  readonly password: string;
  /** What the user has typed in other fields: a password that contains it is easy to guess. */
  readonly related: readonly string[];
}

export const PasswordStrength = (props: Props) =>
  props.password !== '' && (
    <Optional>
      <StrengthMeter {...props} />
    </Optional>
  );
