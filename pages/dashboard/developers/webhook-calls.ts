import type { WebhookTester } from '@svc/contract/webhook-tester';
import { call } from '../../kit/calls.ts';
import type { AnswerFor, InputFor } from '../../kit/rows.ts';

/** The fields of a new or changed endpoint. */
export type EndpointWish = InputFor<'POST /v1/webhook-endpoints'>['body'];
export type EndpointChange = InputFor<'PATCH /v1/webhook-endpoints/{id}'>['body'];

export type RedeliveryWish = {
  readonly since: string;
  readonly status: 'failed' | 'all';
};

export type TesterRequests = AnswerFor<'GET /v1/sandbox/webhook-tester/requests'>;

export class WebhookCalls {
  readonly clientId: string;

  constructor(clientId: string) {
    this.clientId = clientId;
  }

  /** A merchant has ten endpoints at most. */
  listEndpoints = async () => (await call('GET /v1/webhook-endpoints', { limit: 100 }, this)).data;

  getEndpoint = (id: string) => call('GET /v1/webhook-endpoints/{id}', { id }, this);

  createEndpoint = (body: EndpointWish) => call('POST /v1/webhook-endpoints', { body }, this);

  updateEndpoint = (id: string, body: EndpointChange) =>
    call('PATCH /v1/webhook-endpoints/{id}', { id, body }, this);

  deleteEndpoint = (id: string) => call('DELETE /v1/webhook-endpoints/{id}', { id }, this);

  rotateSecret = (id: string, overlapSeconds: number) =>
    call('POST /v1/webhook-endpoints/{id}/rotate-secret', { id, body: { overlapSeconds } }, this);

  sendTest = (id: string) => call('POST /v1/webhook-endpoints/{id}/test', { id }, this);

  /**
   * Queues deliveries until everything up to now is in the queue, and returns how many. The service decides
   * what now is: a sandbox's clock may be ahead of this browser's.
   */
  async redeliver(id: string, { since, status }: RedeliveryWish): Promise<number> {
    let queued = 0;
    let from: string | null = since;
    while (from) {
      const body: InputFor<typeof redelivery>['body'] = { since: from, status };
      const { deliveries, continueFrom }: AnswerFor<typeof redelivery> = await call(
        redelivery,
        { id, body },
        this,
      );
      queued += deliveries;
      from = continueFrom;
    }
    return queued;
  }

  listDeliveries = (id: string, query: string) =>
    call('GET /v1/webhook-endpoints/{id}/deliveries', { id }, { clientId: this.clientId, query });

  getEvent = (eventId: string) => call('GET /v1/events/{eventId}', { eventId }, this);

  listAttempts = (eventId: string, query: string) =>
    call('GET /v1/events/{eventId}/attempts', { eventId }, { clientId: this.clientId, query });

  redeliverEvent = (eventId: string, endpointIds?: readonly string[]) => {
    const body = endpointIds ? { endpointIds: [...endpointIds] } : {};
    return call('POST /v1/events/{eventId}/redeliver', { eventId, body }, this);
  };

  getTester = () => call('GET /v1/sandbox/webhook-tester', {}, this);

  chooseAnswer = (answer: WebhookTester['answer']) =>
    call('PATCH /v1/sandbox/webhook-tester', { body: { answer } }, this);

  listRequests = (query: string) =>
    call('GET /v1/sandbox/webhook-tester/requests', {}, { clientId: this.clientId, query });

  forgetRequests = () => call('DELETE /v1/sandbox/webhook-tester/requests', {}, this);
}

const redelivery = 'POST /v1/webhook-endpoints/{id}/redeliver';
