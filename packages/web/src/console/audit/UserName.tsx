import { useQuery } from '@tanstack/react-query';
import classes from '../../activity/Audit.module.css';
import { userQuery } from '../../app/names.ts';

export function UserName({ id }: { id: string }) {
  const { data } = useQuery(userQuery(id));
  return data ? data.email : <span className={classes.raw}>{id}</span>;
}
