// Events of what the merchant itself manages: API tokens and webhook endpoints.

import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { CommandError } from '../line/command.ts';
import type { Trigger, TriggerScene } from './trigger-scene.ts';

const hour = 3_600_000;

/** Runs `work` with a receiver on this machine that answers 200. */
async function withReceiver<T>(work: (url: string) => Promise<T>): Promise<T> {
  const server = http.createServer((request, response) => {
    request.resume();
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    return await work(`http://127.0.0.1:${port}/`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

type Endpoint = { readonly id: string; readonly failingSince: string | null };

/** Runs `work` with an endpoint that is deleted afterwards; its event stays. */
async function withEndpoint(
  { shop }: TriggerScene,
  given: { url: string; eventTypes: readonly string[] },
  work: (id: string) => Promise<unknown>,
): Promise<string> {
  const body = shop.bodies.of('endpoint', { ...given, description: 'svc trigger' });
  const { id } = await shop.api<Endpoint>('POST /v1/webhook-endpoints', { body });
  try {
    await work(id);
  } finally {
    // Also after Ctrl-C.
    await shop.api(`DELETE /v1/webhook-endpoints/${id}`, { signal: undefined });
  }
  return id;
}

/** Waits until the first delivery has failed. */
async function untilFailing({ shop }: TriggerScene, id: string): Promise<Date> {
  for (const startedAt = performance.now(); performance.now() - startedAt < 20_000; ) {
    const { failingSince } = await shop.api<Endpoint>(`GET /v1/webhook-endpoints/${id}`);
    if (failingSince !== null) return new Date(failingSince);
    await pause(200);
  }
  throw new CommandError(`no delivery to the endpoint ${id} has failed within 20 seconds`);
}

/** Returns a URL where nothing listens: the port was free shortly before. */
const deadUrl = (): Promise<string> => withReceiver(async (url) => url);

export const accountTriggers = {
  'api_token.created': {
    asks: ['token'],
    on: null,
    needsOperator: true,
    async run({ tokens, seen }) {
      const id = await tokens.create();
      await seen('api_token.created', id);
      // The token was made only for its event: no caller knows its value.
      await tokens.revoke(id);
      return id;
    },
  },
  'api_token.revoked': {
    asks: ['token'],
    on: null,
    needsOperator: true,
    async run({ tokens }) {
      const id = await tokens.create();
      await tokens.revoke(id);
      return id;
    },
  },
  'webhook_endpoint.test': {
    asks: ['endpoint'],
    on: null,
    run: (scene) =>
      withReceiver((url) =>
        withEndpoint(scene, { url, eventTypes: ['webhook_endpoint.test'] }, (id) =>
          scene.shop.api(`POST /v1/webhook-endpoints/${id}/test`, { body: {} }),
        ),
      ),
  },
  'webhook_endpoint.disabled': {
    asks: ['endpoint'],
    on: null,
    run: (scene) =>
      withReceiver((url) =>
        withEndpoint(scene, { url, eventTypes: ['webhook_endpoint.test'] }, (id) =>
          scene.shop.api(`PATCH /v1/webhook-endpoints/${id}`, { body: { isEnabled: false } }),
        ),
      ),
  },
  'webhook_endpoint.failing': {
    asks: ['endpoint', 'session', 'card'],
    on: null,
    async run(scene) {
      const given = { url: await deadUrl(), eventTypes: ['payment.authorized'] };
      return withEndpoint(scene, given, async (id) => {
        await scene.shop.hold();
        const since = await untilFailing(scene, id);
        // The event is sent once, after 60 hours without a success. Contract §7, Delivery.
        await scene.shop.passTo(new Date(since.getTime() + 60 * hour + 60_000));
        await scene.seen('webhook_endpoint.failing', id);
      });
    },
  },
} satisfies Record<string, Trigger>;
