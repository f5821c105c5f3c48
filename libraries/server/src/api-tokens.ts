// apiTokens: tokens of a person. Every call needs the access token that the person granted to an
// application, with the scope `mcp`. Spec: API tokens; Authentication 5.

import type { Calls } from './contract-types.ts';
import {
  type CallResponse,
  type Deleted,
  missingParameter,
  pathSegment,
  type ServiceCalls,
} from './service-calls.ts';
import type { CallOptions } from './transport.ts';

type Create = 'POST /v1/api-tokens';
type Rotate = 'POST /v1/api-tokens/{id}/rotate';

export class ApiTokens {
  readonly #calls: ServiceCalls;

  constructor(calls: ServiceCalls) {
    this.#calls = calls;
  }

  /** Creates a token. Only this response holds its value. */
  async create(
    params: Calls[Create]['body'],
    options?: CallOptions,
  ): Promise<CallResponse<Create>> {
    if (!params?.name) throw missingParameter('name', 'in the first argument');
    const to = { path: '/v1/api-tokens', body: params, asksBearer: true, options };
    return this.#calls.ask('POST /v1/api-tokens', to);
  }

  /** Returns the person's active tokens for the selected merchant, oldest first, without paging. */
  async list(options?: CallOptions): Promise<CallResponse<'GET /v1/api-tokens'>> {
    const to = { path: '/v1/api-tokens', asksBearer: true, options };
    return this.#calls.ask('GET /v1/api-tokens', to);
  }

  async retrieve(
    id: string,
    options?: CallOptions,
  ): Promise<CallResponse<'GET /v1/api-tokens/{id}'>> {
    const to = { path: `/v1/api-tokens/${pathSegment('id', id)}`, asksBearer: true, options };
    return this.#calls.ask('GET /v1/api-tokens/{id}', to);
  }

  /** Gives the token a new value. The old value authenticates for `overlapSeconds` more. */
  async rotate(
    id: string,
    params: Calls[Rotate]['body'],
    options?: CallOptions,
  ): Promise<CallResponse<Rotate>> {
    const path = `/v1/api-tokens/${pathSegment('id', id)}/rotate`;
    const to = { path, body: params, asksBearer: true, options };
    return this.#calls.ask('POST /v1/api-tokens/{id}/rotate', to);
  }

  /** Revokes the token at once. Repeatable. */
  async delete(id: string, options?: CallOptions): Promise<Deleted> {
    const path = `/v1/api-tokens/${pathSegment('id', id)}`;
    return this.#calls.remove(path, id, { asksBearer: true, options });
  }
}
