import type {
  DeliveryPage,
  DeliveryQuery,
  NewWebhook,
  Webhook,
  WebhookChange,
  WebhookList,
  WebhookWithSecret,
} from '@gatehouse/contract';
import { createContext, useContext } from 'react';
import { queries } from '../app/query.ts';

export interface WebhookSource {
  /** The beginning of every query key. */
  readonly key: readonly unknown[];
  /** The path of the list; the page of a webhook is below it. */
  readonly path: string;
  readonly isPlatform: boolean;
  /** First words of actions that never occur in this source. */
  readonly without: readonly string[];
  list(): Promise<WebhookList>;
  read(id: string): Promise<Webhook>;
  create(body: NewWebhook): Promise<WebhookWithSecret>;
  change(id: string, body: WebhookChange): Promise<Webhook>;
  remove(id: string): Promise<void>;
  rotateSecret(id: string): Promise<WebhookWithSecret>;
  test(id: string): Promise<unknown>;
  deliveries(id: string, query: DeliveryQuery): Promise<DeliveryPage>;
  retry(id: string, delivery_id: string): Promise<unknown>;
}

export const WebhookSourceContext = createContext<WebhookSource | undefined>(undefined);

export function useWebhookSource(): WebhookSource {
  const source = useContext(WebhookSourceContext);
  if (!source) throw new Error('there is no WebhookSourceContext around this component');
  return source;
}

/** To be called after a change of a webhook or its deliveries. */
export const reloadWebhooks = ({ key }: WebhookSource): Promise<void> => queries.invalidateQueries({ queryKey: key });
