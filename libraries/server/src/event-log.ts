// events: reads events from the service, instead of webhooks or after a webhook was missed. Contract §7.

import type { Calls } from './contract-types.ts';
import type { WebhookEvent } from './events.ts';
import { type ListOf, type ListParams, listOf } from './lists.ts';
import { parseInteger } from './options.ts';
import type { List } from './paging.ts';
import {
  assertObject,
  type CallResponse,
  missingParameter,
  pathSegment,
  type ServiceCalls,
} from './service-calls.ts';
import { type CallOptions, type LastResponse, sleep } from './transport.ts';

type ListEventsCall = 'GET /v1/events';
type Attempts = 'GET /v1/events/{eventId}/attempts';
type Redeliver = 'POST /v1/events/{eventId}/redeliver';
type EventPage = Omit<CallResponse<ListEventsCall>, 'data'> & { data: WebhookEvent[] };
type EventList = List<WebhookEvent, EventPage>;

export class Events {
  readonly #calls: ServiceCalls;

  constructor(calls: ServiceCalls) {
    this.#calls = calls;
  }

  /** Lists events, newest first. */
  list(params?: ListParams<ListEventsCall>, options?: CallOptions): EventList {
    const list = listOf<ListEventsCall>(this.#calls, { path: '/v1/events', params, options });
    return list as unknown as EventList;
  }

  async retrieve(
    eventId: string,
    options?: CallOptions,
  ): Promise<WebhookEvent & { readonly lastResponse: LastResponse }> {
    const path = `/v1/events/${pathSegment('eventId', eventId)}`;
    const event = await this.#calls.ask('GET /v1/events/{eventId}', { path, options });
    return event as unknown as WebhookEvent & { readonly lastResponse: LastResponse };
  }

  /**
   * Lists the events after a given one, oldest first. Continue with the last event that you read, and none
   * is missed.
   */
  listAfter(
    eventId: string,
    params: Omit<ListParams<ListEventsCall>, 'after'> = {},
    options?: CallOptions,
  ): EventList {
    return this.list({ ...params, after: eventId } as ListParams<ListEventsCall>, options);
  }

  /**
   * Yields the events after a given one and then every new event, oldest first, until `signal` aborts,
   * which ends the loop, or a read fails. Store the id of the last event that you processed, to continue
   * after it.
   */
  async *poll(
    params: { after: string; intervalMs?: number },
    options: CallOptions = {},
  ): AsyncGenerator<WebhookEvent, void, undefined> {
    assertObject('params', params);
    let { after } = params;
    if (!after) throw missingParameter('after', 'as the id of the last event that you took');
    const { intervalMs = 2_000 } = params;
    parseInteger('intervalMs', intervalMs, { min: 100, max: 3_600_000 });
    const { signal } = options;
    try {
      for (;;) {
        for await (const event of this.listAfter(after, { limit: 100 }, options)) {
          yield event;
          after = event.id;
          if (signal?.aborted) return;
        }
        await sleep(intervalMs, signal);
      }
    } catch (error) {
      if (signal?.aborted && error === signal.reason) return;
      throw error;
    }
  }

  /** Lists the attempts to deliver the event, newest first. */
  listAttempts(
    eventId: string,
    params?: ListParams<Attempts>,
    options?: CallOptions,
  ): ListOf<Attempts> {
    const path = `/v1/events/${pathSegment('eventId', eventId)}/attempts`;
    return listOf<Attempts>(this.#calls, { path, params, options });
  }

  /** Delivers the event again, to every enabled endpoint or to the given ones. */
  async redeliver(
    eventId: string,
    params: Calls[Redeliver]['body'] = {},
    options?: CallOptions,
  ): Promise<CallResponse<Redeliver>> {
    const path = `/v1/events/${pathSegment('eventId', eventId)}/redeliver`;
    return this.#calls.ask('POST /v1/events/{eventId}/redeliver', { path, body: params, options });
  }
}
