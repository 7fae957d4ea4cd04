/** The kinds of data that processes cache and must therefore be notified about. */
export type Topic =
  | 'session'
  | 'user'
  | 'organization'
  | 'grant'
  | 'applications'
  | 'signing_keys'
  | 'providers'
  | 'flags'
  | 'password_hashes';

export interface BusEvent {
  readonly topic: Topic;
  readonly key: string;
}
