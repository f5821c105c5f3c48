// Who paid: the customer's name in lists, search, details and the file, as long as the customer is not forgotten.

import type { ListedPayment } from '@svc/contract/payments/payments';
import { scaled } from '@svc/tools/machine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aKnownPerson, type Known, person } from '../../../test/customers/forgotten.ts';
import { aClient, aToken, callAs, everyScope, type TestToken } from '../../../test/harness.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { startWorld, type World } from '../../../test/world.ts';
import { makeExports } from '../../engine/runs/exports/make-exports.ts';

let world: World;
let server: TestServer;
let known: Known;
let rivals: TestToken;
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
  rivals = await aToken(world.database, await aClient(world.database));
  known = await aKnownPerson(world, server);
}, scaled(60_000));
afterAll(async () => {
  await server?.close();
  await world?.close();
});

const ask = (call: string, as: TestToken = world.token, body?: object) =>
  callAs(server.app, as, call as 'GET /', body ? { body } : {});

async function read(path: string): Promise<string> {
  const answer = await ask(`GET ${path}`);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.body;
}

/** Each read that shows who paid; the second list comes from the copy of payments. */
const reads = async (): Promise<readonly string[]> => {
  const disputes = JSON.parse(await read('/v1/disputes')) as { data: { id: string }[] };
  return [
    '/v1/payments',
    '/v1/payments?status[eq]=partially_refunded&sortField=amount',
    `/v1/payments/${known.paymentId}/details`,
    '/v1/payments.csv?columns=id,customer_name',
    '/v1/disputes',
    `/v1/disputes/${disputes.data[0]?.id}`,
    '/v1/subscriptions',
    `/v1/search?q=${known.paymentId}`,
    `/v1/search?q=${known.subscriptionId}`,
    `/v1/search?q=${disputes.data[0]?.id}`,
  ];
};

async function makeAllExports(): Promise<void> {
  const pass = { onError: (_: string, error: unknown) => expect.fail(`${error}`) };
  while ((await makeExports(world.ports, pass)) > 0);
}

describe('the name of the buyer', () => {
  it('is null where nobody vouched for who typed the customer’s id', async () => {
    const { data } = JSON.parse(await read('/v1/payments')) as { data: ListedPayment[] };
    const names = data.map(({ buyerVerified, customerName }) => [buyerVerified, customerName]);
    expect(names).toContainEqual([false, null]);
    expect(names).toContainEqual([true, person.name]);
    expect(names).not.toContainEqual([false, person.name]);
    const file = await read('/v1/payments.csv?style=json&columns=id,customer_name');
    const lines = file
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const { id, customerName } of data) {
      expect(lines).toContainEqual({ id, customer_name: customerName });
    }
  });

  it('finds no payment of somebody who only typed the customer’s id', async () => {
    const filter = `name[startsWith]=${encodeURIComponent(person.name)}`;
    // The second is answered by the copy of the payments.
    for (const more of ['', '&sortField=amount']) {
      const { data } = JSON.parse(await read(`/v1/payments?${filter}${more}`));
      expect(data.length).toBeGreaterThan(0);
      expect(data.filter(({ buyerVerified }: ListedPayment) => !buyerVerified)).toEqual([]);
    }
  });

  it('is the present one, and never another merchant’s', async () => {
    const own = { id: known.userId, email: 'other@example.test', name: 'Another Merchants' };
    expect((await ask('POST /v1/customers', rivals, own)).statusCode).toBe(201);
    for (const path of await reads()) {
      const body = await read(path);
      expect(body, path).toContain(person.name);
      expect(body, path).not.toContain(own.name);
    }
  });

  it('403 insufficient_scope: without customers:read no read tells it, and no filter or column asks for it', async () => {
    const named = encodeURIComponent(person.name);
    const cards = '/v1/saved-cards';
    const all = [...(await reads()).filter((path) => !path.includes('columns=')), cards];
    const files = ['/v1/payments.csv', '/v1/disputes.csv', '/v1/subscriptions.csv'];
    for (const path of [cards, ...files]) expect(await read(path), path).toContain(person.name);
    const scopes = everyScope.filter((scope) => scope !== 'customers:read');
    const reader = await aToken(world.database, world.client, { scopes });
    for (const path of [...all, ...files, '/v1/overview']) {
      const answer = await ask(`GET ${path}`, reader);
      expect(answer.statusCode, `${path} ${answer.body}`).toBe(200);
      expect(answer.body, path).not.toContain(person.name);
      expect(answer.body, path).not.toContain('customer_name');
    }
    const found = (await ask(`GET /v1/search?q=${named}`, reader)).json();
    expect([found.payments, found.customers]).toEqual([[], []]);
    const made = (await ask('POST /v1/exports')).json();
    await makeAllExports();
    expect(await read(`/v1/exports/${made.id}/file`)).toContain(person.name);
    for (const call of [
      `GET /v1/payments?name[startsWith]=${named}`,
      `GET /v1/payments.csv?name[startsWith]=${named}`,
      ...files.map((path) => `GET ${path}?columns=id,customer_name`),
      'POST /v1/exports?columns=id,customer_name',
      'POST /v1/export-schedules?columns=id,customer_name',
      `GET /v1/exports/${made.id}/file`,
    ]) {
      expect((await ask(call, reader)).json(), call).toMatchObject({
        status: 403,
        code: 'insufficient_scope',
      });
    }
    const own = (await ask('POST /v1/exports', reader)).json();
    await makeAllExports();
    expect((await ask(`GET /v1/exports/${own.id}/file`, reader)).statusCode).toBe(200);
  });

  it('is in no event, and vanishes from every read when the customer is forgotten', async () => {
    expect(await read('/v1/events?limit=100')).not.toContain('customerName');
    const paths = await reads();
    const forgotten = await ask(`POST /v1/customers/${known.userId}/forget`);
    expect(forgotten.statusCode, forgotten.body).toBe(200);
    for (const path of paths) expect(await read(path), path).not.toContain(person.name);
  });
});
