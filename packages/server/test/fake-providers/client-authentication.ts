import type { ReceivedRequest } from './messages.ts';
import type { ProviderState } from './types.ts';

interface Presented {
  readonly client_id: string | undefined;
  readonly client_secret: string | undefined;
}

const formDecode = (value: string): string => decodeURIComponent(value.replaceAll('+', ' '));

function basicOf(authorization: string): Presented {
  const [scheme, credentials = ''] = authorization.split(' ');
  if (scheme?.toLowerCase() !== 'basic') return { client_id: undefined, client_secret: undefined };
  const [client_id = '', client_secret = ''] = Buffer.from(credentials, 'base64').toString().split(':');
  return { client_id: formDecode(client_id), client_secret: formDecode(client_secret) };
}

export function clientProblem(state: ProviderState, { form = {}, headers }: ReceivedRequest): string | undefined {
  const { settings } = state.fake;
  const isBasic = headers.authorization !== undefined;
  if (isBasic && form.client_secret !== undefined) return 'the client authenticates twice';
  const presented: Presented = isBasic
    ? basicOf(headers.authorization!)
    : { client_id: form.client_id, client_secret: form.client_secret };
  if (presented.client_id !== settings.public_config.client_id) return 'the client_id is another';
  const { secretProblem } = state.brand;
  if (secretProblem) return secretProblem(state, presented.client_secret ?? '');
  return presented.client_secret === settings.secret ? undefined : 'the client_secret is wrong';
}
