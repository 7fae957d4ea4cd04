import { client } from '../../ui/client.ts';

export const PERMISSIONS_QUERY = { queryKey: ['permissions'], queryFn: () => client.permissions.list() };
