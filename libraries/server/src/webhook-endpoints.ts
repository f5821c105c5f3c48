// webhookEndpoints: the addresses to which the merchant's events are delivered. Contract §7.

import type { Calls } from './contract-types.ts';
import { type ListOf, type ListParams, listOf } from './lists.ts';
import {
  type CallResponse,
  type Deleted,
  missingParameter,
  pathSegment,
  type ServiceCalls,
} from './service-calls.ts';
import type { CallOptions } from './transport.ts';

type Create = 'POST /v1/webhook-endpoints';
type ListEndpointsCall = 'GET /v1/webhook-endpoints';
type GetEndpointCall = 'GET /v1/webhook-endpoints/{id}';
type Update = 'PATCH /v1/webhook-endpoints/{id}';
type Rotate = 'POST /v1/webhook-endpoints/{id}/rotate-secret';
type Test = 'POST /v1/webhook-endpoints/{id}/test';
type Redeliver = 'POST /v1/webhook-endpoints/{id}/redeliver';
type Deliveries = 'GET /v1/webhook-endpoints/{id}/deliveries';

const base = '/v1/webhook-endpoints';
const pathOf = (id: string): string => `${base}/${pathSegment('id', id)}`;

export class WebhookEndpoints {
  readonly #calls: ServiceCalls;

  constructor(calls: ServiceCalls) {
    this.#calls = calls;
  }

  /** Adds an endpoint. Only this response holds its `secret`. */
  async create(
    params: Calls[Create]['body'],
    options?: CallOptions,
  ): Promise<CallResponse<Create>> {
    if (!params?.url) throw missingParameter('url', 'in the first argument');
    return this.#calls.ask('POST /v1/webhook-endpoints', { path: base, body: params, options });
  }

  list(params?: ListParams<ListEndpointsCall>, options?: CallOptions): ListOf<ListEndpointsCall> {
    return listOf<ListEndpointsCall>(this.#calls, { path: base, params, options });
  }

  async retrieve(id: string, options?: CallOptions): Promise<CallResponse<GetEndpointCall>> {
    return this.#calls.ask('GET /v1/webhook-endpoints/{id}', { path: pathOf(id), options });
  }

  /**
   * Changes only the fields that are given. Disabling cancels waiting deliveries; `redeliver` sends them
   * again.
   */
  async update(
    id: string,
    params: Calls[Update]['body'],
    options?: CallOptions,
  ): Promise<CallResponse<Update>> {
    const to = { path: pathOf(id), body: params, options };
    return this.#calls.ask('PATCH /v1/webhook-endpoints/{id}', to);
  }

  async delete(id: string, options?: CallOptions): Promise<Deleted> {
    return this.#calls.remove(pathOf(id), id, { options });
  }

  /** Makes a new secret. Deliveries carry both signatures for `overlapSeconds`, a day by default. */
  async rotateSecret(
    id: string,
    params: Calls[Rotate]['body'] = {},
    options?: CallOptions,
  ): Promise<CallResponse<Rotate>> {
    const to = { path: `${pathOf(id)}/rotate-secret`, body: params, options };
    return this.#calls.ask('POST /v1/webhook-endpoints/{id}/rotate-secret', to);
  }

  /** Sends an event of type `webhook_endpoint.test` now and returns the endpoint's response. */
  async test(id: string, options?: CallOptions): Promise<CallResponse<Test>> {
    const to = { path: `${pathOf(id)}/test`, options };
    return this.#calls.ask('POST /v1/webhook-endpoints/{id}/test', to);
  }

  /**
   * Delivers again the events of a span of time; see `continueFrom` of the response. Events from before
   * their type was added to `eventTypes` count as missed only with `status: 'all'`.
   */
  async redeliver(
    id: string,
    params: Calls[Redeliver]['body'],
    options?: CallOptions,
  ): Promise<CallResponse<Redeliver>> {
    const to = { path: `${pathOf(id)}/redeliver`, body: params, options };
    return this.#calls.ask('POST /v1/webhook-endpoints/{id}/redeliver', to);
  }

  /** Lists the deliveries to the endpoint with their state, newest event first. */
  listDeliveries(
    id: string,
    params?: ListParams<Deliveries>,
    options?: CallOptions,
  ): ListOf<Deliveries> {
    return listOf<Deliveries>(this.#calls, { path: `${pathOf(id)}/deliveries`, params, options });
  }
}
