import type { ComponentProps, ReactNode } from 'react';
import classes from './Button.module.css';

interface Look {
  readonly variant?: 'filled' | 'default' | 'subtle' | 'danger';
  readonly icon?: ReactNode;
}

interface Props extends Look, ComponentProps<'button'> {
  readonly loading?: boolean;
}

/** Disabled while loading, so that it cannot be pressed twice. */
export const Button = ({ variant = 'filled', icon, loading = false, disabled, children, ...rest }: Props) => (
  <button
    type="button"
    className={classes.button}
    data-variant={variant}
    disabled={loading || disabled}
    aria-busy={loading || undefined}
    {...rest}
  >
    {loading ? <span className={classes.spinner} /> : icon}
    {children}
  </button>
);

export const ButtonLink = ({ variant = 'filled', icon, children, ...rest }: Look & ComponentProps<'a'>) => (
  <a className={classes.button} data-variant={variant} {...rest}>
    {icon}
    {children}
  </a>
);
