// Who paid: the customer's name in lists, search, details and the file, as long as the customer is not forgotten.

import type { ListedPayment } from '@svc/contract/payments/payments';
import { scaled } from '@svc/tools/machine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aKnownPerson, type Known, person } from '../../../test/customers/forgotten.ts';
import { aClient, aToken, callAs, type TestToken } from '../../../test/harness.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { startWorld, type World } from '../../../test/world.ts';

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

  it('is in no event, and vanishes from every read when the customer is forgotten', async () => {
    expect(await read('/v1/events?limit=100')).not.toContain('customerName');
    const paths = await reads();
    const forgotten = await ask(`POST /v1/customers/${known.userId}/forget`);
    expect(forgotten.statusCode, forgotten.body).toBe(200);
    for (const path of paths) expect(await read(path), path).not.toContain(person.name);
  });
});
