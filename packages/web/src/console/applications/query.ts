import { nullWhenMissing } from '../../app/Missing.tsx';
import { queries } from '../../app/query.ts';
import { client } from '../../ui/client.ts';

export const APPLICATIONS_QUERY = { queryKey: ['applications'], queryFn: () => client.applications.list() };

export const applicationQuery = (id: string) => ({
  queryKey: ['applications', id],
  queryFn: () => client.applications.read(id).catch(nullWhenMissing),
});

export const reloadApplications = (): Promise<void> => queries.invalidateQueries({ queryKey: ['applications'] });
