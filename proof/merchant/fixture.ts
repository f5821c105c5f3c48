// The service of these runs: real, with the sandbox as provider, and with its delivery engine on a
// network of simulated merchants.

import { cloneDatabase } from '@svc/tools/test-database/index';
import { Svc } from '../../libraries/server/src/index.ts';
import { newWebhookSecret } from '../../service/src/domain/protocol/webhook-secret.ts';
import type { WebhookSend } from '../../service/src/engine/ports.ts';
import { deliverDue } from '../../service/src/engine/runs/webhook-deliveries/deliver-due.ts';
import type { DeliveryPorts } from '../../service/src/engine/runs/webhook-deliveries/delivery-ports.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import {
  insertWebhookEndpoint,
  webhookSecretPlace,
} from '../../service/src/storage/webhooks/webhook-endpoints.ts';
import {
  aClub,
  advanceToRenewal,
  cancelClub,
  endAll,
  nowOf,
  renewAll,
} from '../../service/test/customers/subscriptions.ts';
import { callAs, newId } from '../../service/test/harness.ts';
import { aPurchase, aRefund } from '../../service/test/payments/planted.ts';
import { aServer } from '../../service/test/server.ts';
import { aHold, aSession, cards, pay, startWorld, type World } from '../../service/test/world.ts';
import type { Random } from '../kit/random.ts';

type App = Awaited<ReturnType<typeof aServer>>['app'];

export type Fixture = {
  readonly world: World;
  readonly app: App;
  readonly svc: Svc;
  readonly ports: DeliveryPorts;
  /** The merchants, by the address of their endpoint. */
  readonly listeners: Map<string, (call: WebhookSend) => ReturnType<DeliveryPorts['sendWebhook']>>;
  /** The database of the merchants that use PostgreSQL. */
  readonly merchantsUrl: string;
  close(): Promise<void>;
};

export async function openFixture(): Promise<Fixture> {
  // Long limits, so that a busy machine does not look like a fault of the provider.
  const world = await startWorld({ provider: { budgetMs: 20_000, answerMs: 10_000 } });
  const merchants = await cloneDatabase('template0');
  const { app } = await aServer(world.ports);
  const listeners: Fixture['listeners'] = new Map();
  const { database, sealed, newId: id, randomBytes: random } = world.ports;
  const ports: DeliveryPorts = {
    ...{ database, sealed, newId: id, randomBytes: random },
    sendWebhook(call) {
      const listener = listeners.get(call.url);
      if (!listener) throw new Error(`nobody listens at ${call.url}`);
      return listener(call);
    },
  };
  const [clientId = '', apiToken = ''] = Buffer.from(
    world.token.authorization.replace('Basic ', ''),
    'base64',
  )
    .toString()
    .split(':');
  const svc = new Svc('sk_merchant', {
    ...{ clientId, apiToken, baseUrl: 'http://svc.test', fetch: fetchFrom(app) },
  });
  return {
    ...{ world, app, svc, ports, listeners, merchantsUrl: merchants.url('postgres') },
    async close() {
      await app.close();
      await world.close();
      await merchants.drop();
    },
  };
}

/** Calls the API in this process, in the form of the library's `fetch`. */
const fetchFrom =
  (app: App) =>
  async (url: string, init: RequestInit): Promise<Response> => {
    const { pathname, search } = new URL(url);
    const call = `${init.method ?? 'GET'} ${pathname}${search}` as Parameters<typeof callAs>[2];
    const headers = Object.fromEntries(new Headers(init.headers));
    const answer = await callAs(app, null, call, { headers });
    const type = { 'content-type': 'application/json' };
    return new Response(answer.body, { status: answer.statusCode, headers: type });
  };

/** Creates an endpoint of the merchant and returns its secret. */
export async function anEndpoint({ world }: Pick<Fixture, 'world'>, url: string): Promise<string> {
  const { database, client, ports } = world;
  const id = newId();
  const secret = newWebhookSecret(ports.randomBytes(32));
  const secretSealed = await ports.sealed.seal(webhookSecretPlace(client.id, id), secret);
  const rest = { eventTypes: null, secretSealed, apiVersion: '2026-01-01' };
  await database.transaction(client.id, (tx) =>
    insertWebhookEndpoint(tx, { id, clientId: client.id, url, ...rest }),
  );
  return secret;
}

/** The payments, holds and subscriptions that exist so far. */
export type ShopState = {
  readonly random: Random;
  readonly holds: string[];
  readonly purchases: string[];
  readonly clubs: { readonly id: string; readonly methodId: string }[];
};

type RandomAct = {
  readonly name: string;
  readonly weight: number;
  readonly run: () => Promise<unknown>;
};

/** Performs one more random action of a buyer or the merchant, with its money. */
export async function performAct(fixture: Fixture, deeds: ShopState): Promise<string> {
  const possible = [...listBuyingActs(fixture, deeds), ...listFollowingActs(fixture, deeds)];
  let drawn = deeds.random.next() * possible.reduce((sum, { weight }) => sum + weight, 0);
  for (const { name, weight, run } of possible) {
    drawn -= weight;
    if (drawn > 0) continue;
    await run();
    return name;
  }
  throw new Error('one of them was drawn');
}

const listBuyingActs = (
  { world }: Fixture,
  { holds, purchases, clubs }: ShopState,
): RandomAct[] => [
  {
    ...{ name: 'hold', weight: 3 },
    run: async () => holds.push((await aHold(world)).paymentId),
  },
  {
    ...{ name: 'purchase', weight: 2 },
    run: async () => purchases.push(await aPurchase(world)),
  },
  {
    ...{ name: 'subscription', weight: 2 },
    run: async () => clubs.push(await aClub(world)),
  },
  {
    ...{ name: 'decline', weight: 1 },
    run: async () => pay(world, await aSession(world), cards.declined).catch(() => undefined),
  },
];

function listFollowingActs(
  fixture: Fixture,
  { random, holds, purchases, clubs }: ShopState,
): RandomAct[] {
  const found: RandomAct[] = [];
  const add = (name: string, weight: number, run: RandomAct['run']) =>
    found.push({ name, weight, run });
  const [hold, purchase, club] = [holds.at(-1), purchases[0], clubs.at(-1)];
  if (hold) {
    add('capture', 5, async () => {
      holds.pop();
      purchases.push(hold);
      await sendCall(fixture, `PUT /v1/payments/${hold}/capture`);
    });
    add('cancel', 2, async () => {
      holds.pop();
      await sendCall(fixture, `PUT /v1/payments/${hold}/cancel`);
    });
  }
  if (purchase) {
    add('refund', 4, async () => {
      if (random.chance(0.4)) purchases.shift();
      await aRefund(fixture.world, purchase, random.whole(1, 3));
    });
  }
  if (club) {
    add('renewal', 5, async () => {
      await advanceToRenewal(fixture.world, club.id);
      // A month has passed, and no hold lasts that long.
      holds.length = 0;
      await renewAll(fixture.world);
    });
    add('detachment of a card', 3, async () => {
      clubs.pop();
      await cancelClub(fixture.world, club.id);
      await sendCall(fixture, `DELETE /v1/payment-methods/${club.methodId}`);
    });
  }
  return found;
}

async function sendCall(fixture: Fixture, call: Parameters<typeof callAs>[2]): Promise<void> {
  const headers = { 'idempotency-key': newId() };
  const answer = await callAs(fixture.app, fixture.world.token, call, { headers });
  if (answer.statusCode >= 300) throw new Error(`${call}: ${answer.statusCode} ${answer.body}`);
}

// These runs do not depend on real time: retries come due when this statement says so, and for some
// later events it ends the minute in which they wait for an earlier event.
const letDue = sql<{ n: number }>(
  'proof_merchant_let_due',
  `with due as (
     update webhook_deliveries set next_attempt_at = svc_clock() - interval '1 second',
       created_at = created_at - make_interval(mins => $2::int)
     where client_id = $1 and state = 'pending' returning 1)
   select count(*)::int as n from due`,
);
const stayEnabled = sql(
  'proof_merchant_stay_enabled',
  'update webhook_endpoints set failing_since = null where client_id = $1 and failing_since is not null',
);
const disable = sql(
  'proof_merchant_disable',
  'update webhook_endpoints set is_enabled = false where client_id = $1',
);

const limits = { limit: 200, failingLimit: 200 };

/** Attempts every waiting delivery once. Returns how many were waiting. */
export async function deliver(fixture: Fixture, isOverAMinute: boolean): Promise<number> {
  const { database, client } = fixture.world;
  await database.write(stayEnabled, [client.id]);
  const [row] = await database.write(letDue, [client.id, isOverAMinute ? 2 : 0]);
  await deliverDue(fixture.ports, limits);
  return row?.n ?? 0;
}

/** Ends everything that could cause events for the buyers and merchants of this run later. */
export async function clear(fixture: Fixture): Promise<void> {
  await endAll(fixture.world);
  await fixture.world.database.write(disable, [fixture.world.client.id]);
  fixture.listeners.clear();
}

export const timeOf = (fixture: Fixture): Promise<Date> => nowOf(fixture.world);
