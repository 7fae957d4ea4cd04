import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Face } from './Face.tsx';
import classes from './UserLine.module.css';

interface Props {
  readonly person: { readonly display_name: string | null; readonly email: string; readonly avatar_url: string | null };
  /** Where their name leads. */
  readonly to?: string;
  /** What is to be said beside the name. */
  readonly children?: ReactNode;
}

/** Somebody in a list: face, name and email. */
export function UserLine({ person: { display_name, email, avatar_url }, to, children }: Props) {
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
        {display_name && (
          <Text size="sm" c="dimmed">
            {email}
          </Text>
        )}
      </div>
    </div>
  );
}
