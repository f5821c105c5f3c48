// Saved cards with their customers, what they pay for, and tombstones.

import type { SavedCard } from '@svc/contract/customers/saved-cards';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertFundedSubscription } from '../../../test/customers/detachments.ts';
import { aSavedCard } from '../../../test/customers/saved-cards.ts';
import { aClient, aCustomer, aToken, callAs } from '../../../test/harness.ts';
import { plantInDatabase } from '../../../test/payments/planted.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { startWorld, type World } from '../../../test/world.ts';
import type { PaymentMethod } from '../../domain/payments/payment-method.ts';

let world: World;
let server: TestServer;
let userId: string;
let kept: PaymentMethod;
let removed: PaymentMethod;
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
  userId = (await aCustomer(world.database, world.client)).id;
  // Has no card.
  await aCustomer(world.database, world.client);
  removed = await aSavedCard(world, { userId });
  kept = await aSavedCard(world, { userId, number: '5555555555554444' });
  await insertFundedSubscription(world, kept);
  await insertFundedSubscription(world, kept);
  await insertFundedSubscription(world, kept, 'canceled');
  await callAs(server.app, world.token, `DELETE /v1/payment-methods/${removed.id}`);
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

const listCards = (query: string, token = world.token) =>
  callAs(server.app, token, `GET /v1/saved-cards?${query}`);

async function list(query = '', token = world.token): Promise<SavedCard[]> {
  const answer = await listCards(query, token);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json().data;
}

describe('listSavedCards', () => {
  it('200: customer, default, running subscriptions; a tombstone with its time and nothing of the card', async () => {
    const [first, second, ...more] = await list();
    expect(more).toEqual([]);
    expect(first).toMatchObject({
      id: kept.id,
      object: 'saved_card',
      customer: { id: userId },
      status: 'active',
      brand: 'visa',
      lastFour: '4444',
      isDefault: true,
      subscriptions: 2,
      removedAt: null,
    });
    expect(second).toMatchObject({
      id: removed.id,
      customer: { id: userId },
      status: 'removed',
      brand: null,
      lastFour: null,
      expiryMonth: null,
      expiryYear: null,
      payerEmail: null,
      isDefault: false,
      subscriptions: 0,
      removedAt: expect.stringMatching(/Z$/),
    });
    // Between word boundaries: the ids beside it are random, and one in some thousand has these digits.
    expect(JSON.stringify(second)).not.toMatch(/\b4242\b/);
    // It was removed after the other one was saved.
    const [at, others] = [second?.removedAt ?? '', first?.createdAt ?? ''];
    expect(Date.parse(at)).toBeGreaterThan(Date.parse(others));
  });

  it('200: filters by status, default, time of removal and the month before which the card ends', async () => {
    const idsOf = async (query: string) => (await list(query)).map(({ id }) => id);
    expect(await idsOf('status[eq]=removed')).toEqual([removed.id]);
    expect(await idsOf('isDefault[eq]=true')).toEqual([kept.id]);
    const savedAt = kept.createdAt.toISOString();
    expect(await idsOf(`removedAt[gt]=${savedAt}`)).toEqual([removed.id]);
    expect(await idsOf(`createdAt[gt]=${savedAt}`)).toEqual([]);
    const ends = (year: number, month: number) =>
      plantInDatabase(world.ownerUrl, (plant) =>
        plant('update payment_methods set expiry_year = $2, expiry_month = $3 where id = $1', [
          ...[kept.id, year, month],
        ]),
      );
    await ends(2034, 9);
    expect(await idsOf('expiresBefore[eq]=2034-09')).toEqual([]);
    expect(await idsOf('expiresBefore[eq]=2034-10')).toEqual([kept.id]);
    await ends(2034, 12);
    expect(await idsOf('expiresBefore[eq]=2034-12')).toEqual([]);
    expect(await idsOf('expiresBefore[eq]=2035-01')).toEqual([kept.id]);
  });

  it('400 invalid_query: no month, another operator, a filter that there is not', async () => {
    for (const query of [
      'expiresBefore[eq]=2027-13',
      'expiresBefore[gt]=2027-01',
      'lastFour[eq]=4242',
      'sortField=expiry',
    ]) {
      const answer = await listCards(query);
      expect([answer.statusCode, answer.json().code], query).toEqual([400, 'invalid_query']);
    }
  });

  it('another merchant sees none of them; 403 insufficient_scope', async () => {
    const stranger = await aToken(world.database, await aClient(world.database));
    expect(await list(`userId[eq]=${userId}`, stranger)).toEqual([]);
    const scoped = await aToken(world.database, world.client, { scopes: ['payments:read'] });
    const answer = await listCards('', scoped);
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'insufficient_scope']);
  });
});
