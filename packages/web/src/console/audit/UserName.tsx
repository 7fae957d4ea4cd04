import { useQuery } from '@tanstack/react-query';
import { userQuery } from '../names.ts';
import classes from './Audit.module.css';
import { useText } from './text.ts';

/** Who that is; of somebody who is gone, the id has to do. */
export function UserName({ id }: { id: string | null }) {
  const t = useText();
  const { data } = useQuery(userQuery(id ?? undefined));
  if (id === null) return <span className={classes.raw}>{t.nobody}</span>;
  return data ? data.email : <span className={classes.raw}>{id}</span>;
}
