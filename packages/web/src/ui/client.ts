import { createClient } from '@gatehouse/client';
import { settings } from './settings.ts';

/** The pages' only way to the service: the public API. */
export const client = createClient({ base: settings.api });
