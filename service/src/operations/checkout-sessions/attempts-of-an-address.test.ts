// What counts against an address: new attempts to pay, and nothing else.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAs } from '../../../test/harness.ts';
import { answerChallenge } from '../../../test/payments/checkouts.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import {
  aCardToken,
  aSession,
  type Checkout,
  cards,
  startWorld,
  type World,
} from '../../../test/world.ts';
import { contractLimits } from '../../http/limits/limits.ts';

const most = 3;
let world: World;
let server: TestServer;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

/** Runs the work on a service of its own, whose addresses have paid nothing yet. */
const withOwnService = async (work: () => Promise<void>) => {
  const limits = { ...contractLimits, processPerAddressHour: most };
  server = await aServer(world.ports, { limits, nowMs: () => 0 });
  await work().finally(() => server.close());
};

const accountOf = ({ userId }: Checkout) => ({ userId, email: 'buyer@example.test' });
const process = (
  session: Checkout,
  token: string,
  more: { chv?: string; userId?: string } = {},
) => {
  const { userId = session.userId, ...rest } = more;
  return callAs(server.app, session, `POST /v1/checkouts/sessions/${session.sessionId}/process`, {
    headers: { 'x-user-id': userId },
    body: {
      sessionId: session.sessionId,
      tokenizedData: { provider: 'cardprovider', type: 'card', token },
      accountData: accountOf(session),
      ...rest,
    },
  });
};
const tryCard = async (number: string) => {
  const session = await aSession(world);
  return process(session, await aCardToken(world, session, number));
};

describe('attempts to pay from one address', () => {
  it('429 rate_limited: every card that does not pay counts, through however many sessions', () =>
    withOwnService(async () => {
      const statuses: number[] = [];
      const { declined, approved, poor } = cards;
      for (const number of [declined, approved, poor, approved, declined, approved]) {
        statuses.push((await tryCard(number)).statusCode);
      }
      expect(statuses).toEqual([402, 200, 402, 200, 402, 429]);
    }));

  it('what is refused before an attempt begins counts for nothing', () =>
    withOwnService(async () => {
      const session = await aSession(world);
      const token = await aCardToken(world, session, cards.approved);
      for (let n = 0; n <= most; n++) {
        expect((await process(session, token, { userId: '' })).statusCode).toBe(400);
        expect((await process(session, 'svct_invented')).statusCode).toBe(400);
      }
      expect((await process(session, token)).statusCode).toBe(200);
    }));

  it('a settled session replays its success, and a challenge is answered, with nothing left', () =>
    withOwnService(async () => {
      const [paid, asked] = [await aSession(world), await aSession(world)];
      const token = await aCardToken(world, paid, cards.approved);
      const asks = await aCardToken(world, asked, cards.needs3ds);
      const first = await process(paid, token);
      const challenged = await process(asked, asks);
      expect(challenged.json()).toMatchObject({ type: '3ds_required' });
      for (const left of [402, 402]) {
        expect((await tryCard(cards.declined)).statusCode).toBe(left);
      }
      expect((await tryCard(cards.approved)).statusCode).toBe(429);
      expect((await process(paid, token)).json()).toEqual(first.json());
      await answerChallenge(challenged.json().challenge.url, 'approve');
      const after = await process(asked, asks, { chv: 'done' });
      expect(after.json()).toMatchObject({ type: 'success' });
      expect((await process(asked, asks, { chv: 'done' })).json()).toEqual(after.json());
    }));
});
