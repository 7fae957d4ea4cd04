import { useQuery } from '@tanstack/react-query';
import { userQuery } from '../names.ts';
import classes from './Audit.module.css';

export function UserName({ id }: { id: string }) {
  const { data } = useQuery(userQuery(id));
  return data ? data.email : <span className={classes.raw}>{id}</span>;
}
