import { CopyButton } from '../../ui/CopyButton.tsx';
import classes from './Line.module.css';

interface Props {
  readonly label: string;
  readonly children: string;
}

/** Something to be typed elsewhere, and to be copied here. */
export const Line = ({ label, children }: Props) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is filled in
  <div className={classes.line} role="group" aria-label={label}>
    <code>{children}</code>
    <CopyButton value={children} />
  </div>
);
