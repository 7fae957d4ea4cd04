import type { Provider } from '@gatehouse/contract';

export type FieldName = 'client_id' | 'from' | 'key_id' | 'team_id' | 'tenant';

interface Field {
  readonly name: FieldName;
  readonly required: boolean;
}

const required = (name: FieldName): Field => ({ name, required: true });

/** What each provider's form asks for beside the secret. The service has the same list; a test compares. */
export const FIELDS: Readonly<Record<Provider, readonly Field[]>> = {
  email_transport: [required('from')],
  oauth_a: [required('client_id')],
  oauth_b: [required('client_id')],
  oauth_c: [required('client_id'), { name: 'tenant', required: false }],
  oauth_d: [required('client_id'), required('team_id'), required('key_id')],
  oauth_e: [required('client_id')],
};
