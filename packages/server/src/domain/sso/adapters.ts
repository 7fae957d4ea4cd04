import type { Adapter } from '../upstream/adapter.ts';
import type { UsableConnection } from './connection.ts';
import { oidc } from './oidc.ts';

const ADAPTERS: Readonly<Record<UsableConnection['kind'], Adapter<UsableConnection>>> = { oidc };

export const adapterOf = ({ kind }: UsableConnection): Adapter<UsableConnection> => ADAPTERS[kind];
