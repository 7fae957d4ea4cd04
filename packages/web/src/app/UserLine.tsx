import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Dimmed } from './Dimmed.tsx';
import { Face } from './Face.tsx';
import classes from './UserLine.module.css';

interface Props {
  readonly user: { readonly display_name: string | null; readonly email: string; readonly avatar_url: string | null };
  readonly to?: string;
  readonly children?: ReactNode;
}

export function UserLine({ user: { display_name, email, avatar_url }, to, children }: Props) {
  const name = display_name || email;
  return (
    <div className={classes.line}>
      <Face name={name} src={avatar_url} />
      <div className={classes.words}>
        <div className={classes.name}>
          {to ? (
            <Anchor component={Link} to={to} inherit>
              {name}
            </Anchor>
          ) : (
            <span>{name}</span>
          )}
          {children}
        </div>
        {display_name && <Dimmed>{email}</Dimmed>}
      </div>
    </div>
  );
}
