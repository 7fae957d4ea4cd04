import { useQuery } from '@tanstack/react-query';
import { userQuery } from '../names.ts';
import classes from './Audit.module.css';

/** Who that is; of somebody who is gone, the id has to do. */
export function UserName({ id }: { id: string }) {
  const { data } = useQuery(userQuery(id));
  return data ? data.email : <span className={classes.raw}>{id}</span>;
}
