import { createClient } from '@gatehouse/client';
import { settings } from './settings.ts';

/** The pages use only the public API. */
export const client = createClient({ base: settings.api });
