/** What a replica may hold in memory, and so must hear of when it changes. */
export type Topic = 'session' | 'user' | 'organization' | 'signing_keys' | 'providers' | 'flags' | 'password_hashes';

export interface BusEvent {
  readonly topic: Topic;
  readonly key: string;
}
