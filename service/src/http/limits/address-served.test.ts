// One address through the real calls that pay: process, intents and vault charge share its limit.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAs } from '../../../test/harness.ts';
import { aShell, claim } from '../../../test/payments/checkouts.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aCardToken, type Checkout, cards, startWorld, type World } from '../../../test/world.ts';
import { contractLimits } from './limits.ts';

let world: World;
let server: TestServer;
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports, {
    limits: { ...contractLimits, processPerAddressHour: 3 },
    nowMs: () => 0,
    trustedProxies: 1,
  });
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

const sessions = '/v1/checkouts/sessions';
const email = 'buyer@example.test';
const fromAddress = (address: string) => ({ 'x-forwarded-for': address });

async function aClaimed(): Promise<Checkout> {
  const shell = await aShell(world);
  await claim(world, shell);
  return shell;
}

const charge = (session: Checkout, token: string, address: string) =>
  callAs(server.app, session, `POST ${sessions}/${session.sessionId}/vault-charge`, {
    body: { token },
    headers: fromAddress(address),
  });
const pay = (session: Checkout, token: string, address: string) =>
  callAs(server.app, session, `POST ${sessions}/${session.sessionId}/process`, {
    body: {
      sessionId: session.sessionId,
      tokenizedData: { provider: 'cardprovider', type: 'card', token },
      accountData: { userId: session.userId, email },
    },
    headers: { ...fromAddress(address), 'x-user-id': session.userId },
  });
const openCheckout = (session: Checkout, address: string) =>
  callAs(server.app, session, 'POST /v1/checkouts/payments/intents', {
    body: { sessionId: session.sessionId, email, paymentMethod: 'card' },
    headers: fromAddress(address),
  });

describe('payments of one address', () => {
  it('429 rate_limited: the fourth, by whatever call and for whatever session; others go on', async () => {
    const unclaimed = await aShell(world);
    const early = await aCardToken(world, unclaimed, cards.approved);
    // A payment that is held for its claim counts once, however often the call is repeated.
    for (let n = 0; n < 4; n++) {
      expect((await charge(unclaimed, early, '198.51.100.7')).statusCode).toBe(503);
    }
    const [one, two, three, four, five] = [
      await aClaimed(),
      await aClaimed(),
      await aClaimed(),
      await aClaimed(),
      await aClaimed(),
    ];
    const tokenOf = (session: Checkout, card: string) => aCardToken(world, session, card);
    const declined = await tokenOf(one, cards.declined);
    expect((await pay(one, declined, '198.51.100.7')).statusCode).toBe(402);
    expect((await openCheckout(two, '198.51.100.7')).statusCode).toBe(200);
    // A payment that succeeds gives its place back. Contract §10.
    const approved = await tokenOf(five, cards.approved);
    expect((await charge(five, approved, '198.51.100.7')).statusCode).toBe(200);
    const refusedCard = await tokenOf(three, cards.declined);
    expect((await charge(three, refusedCard, '198.51.100.7')).statusCode).toBe(402);
    const last = await tokenOf(four, cards.approved);
    for (const refused of [
      await pay(four, last, '198.51.100.7'),
      await charge(four, last, '198.51.100.7'),
      await openCheckout(four, '198.51.100.7'),
    ]) {
      expect([refused.statusCode, refused.json().code]).toEqual([429, 'rate_limited']);
      expect(Number(refused.headers['retry-after'])).toBe(1200);
    }
    expect((await pay(four, last, '198.51.100.8')).statusCode).toBe(200);
  });
});
