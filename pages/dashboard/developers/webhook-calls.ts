// The calls about one merchant's webhook endpoints, their deliveries, events, and the sandbox's tester.

import type { Event } from '@svc/contract/events-api';
import type {
  WebhookAttempt,
  WebhookDelivery,
  WebhookEndpoint,
} from '@svc/contract/webhook-endpoints';
import type { TesterRequest, WebhookTester } from '@svc/contract/webhook-tester';
import type { ListPage } from '../../kit/calls.ts';
import { call } from '../../kit/calls.ts';

type Method = Parameters<typeof call>[0];

/** The fields of a new or changed endpoint. */
export type EndpointWish = {
  readonly url: string;
  readonly description: string | null;
  readonly eventTypes: readonly string[] | null;
};

export type EndpointChange = Partial<EndpointWish> & {
  readonly isEnabled?: boolean;
  readonly testFault?: WebhookEndpoint['testFault'];
};

export type RedeliveryWish = {
  readonly since: string;
  readonly status: 'failed' | 'all';
};

/** Only this response contains the secret. */
type WithSecret = WebhookEndpoint & { readonly secret: string };
type QueuedDeliveries = { readonly deliveries: number; readonly continueFrom: string | null };
export type TesterRequests = { readonly data: readonly TesterRequest[]; readonly total: number };

const part = encodeURIComponent;
const endpoints = '/v1/webhook-endpoints';
const tester = '/v1/sandbox/webhook-tester';

export class WebhookCalls {
  readonly #clientId: string;

  constructor(clientId: string) {
    this.#clientId = clientId;
  }

  /** A merchant has ten endpoints at most. */
  listEndpoints = async (): Promise<readonly WebhookEndpoint[]> =>
    (await this.#send<ListPage<WebhookEndpoint>>('GET', `${endpoints}?limit=100`)).data;

  getEndpoint(id: string): Promise<WebhookEndpoint> {
    return this.#send('GET', `${endpoints}/${part(id)}`);
  }

  createEndpoint(wish: EndpointWish): Promise<WithSecret> {
    return this.#send('POST', endpoints, wish);
  }

  updateEndpoint(id: string, change: EndpointChange): Promise<WebhookEndpoint> {
    return this.#send('PATCH', `${endpoints}/${part(id)}`, change);
  }

  deleteEndpoint(id: string): Promise<null> {
    return this.#send('DELETE', `${endpoints}/${part(id)}`);
  }

  rotateSecret(id: string, overlapSeconds: number): Promise<WithSecret> {
    return this.#send('POST', `${endpoints}/${part(id)}/rotate-secret`, { overlapSeconds });
  }

  sendTest(id: string): Promise<WebhookAttempt> {
    return this.#send('POST', `${endpoints}/${part(id)}/test`);
  }

  /**
   * Queues deliveries until everything up to now is in the queue, and returns how many. The service decides
   * what now is: a sandbox's clock may be ahead of this browser's.
   */
  async redeliver(id: string, { since, status }: RedeliveryWish): Promise<number> {
    let queued = 0;
    let from: string | null = since;
    while (from) {
      const body: object = { since: from, status };
      const { deliveries, continueFrom }: QueuedDeliveries = await this.#send(
        'POST',
        `${endpoints}/${part(id)}/redeliver`,
        body,
      );
      queued += deliveries;
      from = continueFrom;
    }
    return queued;
  }

  listDeliveries(id: string, query: string): Promise<ListPage<WebhookDelivery>> {
    return this.#send('GET', `${endpoints}/${part(id)}/deliveries?${query}`);
  }

  getEvent(eventId: string): Promise<Event> {
    return this.#send('GET', `/v1/events/${part(eventId)}`);
  }

  listAttempts(eventId: string, query: string): Promise<ListPage<WebhookAttempt>> {
    return this.#send('GET', `/v1/events/${part(eventId)}/attempts?${query}`);
  }

  redeliverEvent(eventId: string, endpointIds?: readonly string[]): Promise<QueuedDeliveries> {
    const body = endpointIds ? { endpointIds } : {};
    return this.#send('POST', `/v1/events/${part(eventId)}/redeliver`, body);
  }

  getTester = (): Promise<WebhookTester> => this.#send('GET', tester);

  chooseAnswer(answer: WebhookTester['answer']): Promise<WebhookTester> {
    return this.#send('PATCH', tester, { answer });
  }

  listRequests(query: string): Promise<TesterRequests> {
    return this.#send('GET', `${tester}/requests?${query}`);
  }

  forgetRequests(): Promise<null> {
    return this.#send('DELETE', `${tester}/requests`);
  }

  #send<T>(method: Method, path: string, body?: unknown): Promise<T> {
    const from = { clientId: this.#clientId };
    return call(method, path, body === undefined ? from : { ...from, body });
  }
}
