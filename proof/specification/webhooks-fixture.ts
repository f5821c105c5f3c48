// A merchant with a receiver: the API over HTTP, deliveries as the worker makes them, and a
// signature check that follows contract §7 and uses none of our own code.

import assert from 'node:assert';
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { expect } from 'vitest';
import { deliverDue } from '../../service/src/engine/runs/webhook-deliveries/deliver-due.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import { webhookUrlJudge } from '../../service/src/webhooks/judge-url.ts';
import { webhookSender } from '../../service/src/webhooks/send.ts';
import {
  aClient,
  aToken,
  callAs,
  freshDatabase,
  portsFor,
  type TestClient,
  type TestToken,
} from '../../service/test/harness.ts';
import { aServer } from '../../service/test/server.ts';
import { limits } from '../../service/test/webhooks/deliveries.ts';
import {
  aReceiver,
  loopback,
  type ReceivedCall,
  type Receiver,
  sealedFor,
} from '../../service/test/webhooks/webhooks.ts';
import { refusal } from './shop.ts';

export type Body = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly secret: string;
  readonly code: string;
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly total: number;
};
export type EndpointResponse = {
  readonly status: number;
  readonly text: string;
  readonly body: Body;
};
export type Shop = {
  readonly client: TestClient;
  readonly owner: TestToken;
  /** Calls with the owner's credential, or with another one. */
  ask(
    call: Parameters<typeof callAs>[2],
    body?: unknown,
    as?: TestToken,
  ): Promise<EndpointResponse>;
  /** Creates an endpoint through the API and returns its id and secret. */
  endpoint(url: string, more?: object): Promise<Body>;
};

const cancelAll = sql(
  'proof_cancel_deliveries',
  "update webhook_deliveries set state = 'cancelled' where state = 'pending'",
);

/** Reads the secrets as they are stored. */
export const readSecrets = sql<{ secret_sealed: Buffer; previous_secret_sealed: Buffer | null }>(
  'proof_endpoint_secrets',
  'select secret_sealed, previous_secret_sealed from webhook_endpoints where id = $1',
);

/** An address that is never called. */
export const farUrl = 'https://shop.example/webhooks';

export const expectRefused = (
  { status, body }: EndpointResponse,
  [expected, code]: readonly [number, string],
  more = {},
) => expect({ status, body }).toMatchObject(refusal(expected, code, more));

export type WebhookFixture = Awaited<ReturnType<typeof openWebhookFixture>>;

export async function openWebhookFixture() {
  const db = await freshDatabase();
  // The only names that are resolved.
  const names: Record<string, string[]> = { 'shop.example': ['93.184.216.34'] };
  const resolve = async (name: string) => names[name] ?? Promise.reject(new Error('no such name'));
  const settings = { allow: loopback, resolve };
  const ports = portsFor(db.database, {
    sealed: sealedFor(db.database),
    sendWebhook: webhookSender(settings),
    judgeWebhookUrl: webhookUrlJudge(settings),
  });
  const server = await aServer(ports);
  const receivers: Receiver[] = [];
  return {
    db,
    database: db.database,
    ports,
    server,
    names,
    shop: async (): Promise<Shop> => aShop({ db, app: server.app }),
    /** Opens a receiver, which answers 200 by default. */
    receiver: async (reply?: (request: ReceivedCall, response: ServerResponse) => unknown) => {
      const made = await aReceiver(reply);
      receivers.push(made);
      return made;
    },
    /** Runs passes of the worker until nothing is due. */
    deliver: async () => {
      while ((await deliverDue(ports, limits)).sent > 0);
    },
    rest: async () => {
      await Promise.all(receivers.splice(0).map((each) => each.close()));
      await db.database.write(cancelAll, []);
    },
    close: async () => {
      await server.close();
      await db.close();
    },
  };
}

type Base = {
  readonly db: Awaited<ReturnType<typeof freshDatabase>>;
  readonly app: Parameters<typeof callAs>[0];
};

async function aShop({ db, app }: Base): Promise<Shop> {
  const client = await aClient(db.database);
  const owner = await aToken(db.database, client);
  const ask: Shop['ask'] = async (call, body, as = owner) => {
    const response = await callAs(app, as, call, body === undefined ? {} : { body });
    const text = response.payload;
    return { status: response.statusCode, text, body: text === '' ? {} : JSON.parse(text) };
  };
  return {
    client,
    owner,
    ask,
    endpoint: async (url, more = {}) => {
      const { status, body, text } = await ask('POST /v1/webhook-endpoints', { url, ...more });
      assert.equal(status, 201, text);
      return body;
    },
  };
}

const digest = (key: string | Buffer, text: string, encoding: 'hex' | 'base64') =>
  createHmac('sha256', key).update(text).digest(encoding);

const isSameText = (one: string, other: string) =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** Returns the secrets with which a delivery is signed; both schemes must use the same ones. */
export function signersOf(received: ReceivedCall, secrets: readonly string[]): number[] {
  const { headers, body } = received;
  const own = String(headers['svc-signature']).split(',');
  const at = own[0]?.replace('t=', '');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const standard = String(headers['webhook-signature']).split(' ');
  const indexes = secrets.flatMap((secret, index) => {
    const key = Buffer.from(secret.replace('svc_whsec_', ''), 'base64');
    const isOwn = own.some((one) =>
      isSameText(one, `v1=${digest(secret, `${at}.${body}`, 'hex')}`),
    );
    const isStandard = standard.some((one) =>
      isSameText(one, `v1,${digest(key, signed, 'base64')}`),
    );
    assert.equal(isOwn, isStandard, 'the two schemes agree');
    return isOwn ? [index] : [];
  });
  assert.equal(own.length - 1, indexes.length, 'no signature of an unknown secret');
  assert.equal(standard.length, indexes.length, 'no signature of an unknown secret');
  return indexes;
}
