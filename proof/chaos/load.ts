// The traffic of a chaos run: loops that pay, capture, cancel and refund without pausing for killed
// processes, with competing requests for one hold and with the same key sent several times.

import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../kit/random.ts';
import type { Fixture } from './fixture.ts';
import type { ReplayableAnswer, Shop } from './shop.ts';

export type Load = {
  /** Ends each loop after its current payment. */
  stop(): Promise<void>;
};

/** The price of the merchant's beans, in euros. */
const price = 14.9;

export function startLoad(shop: Shop, random: Random, loops: number): Load {
  let isOver = false;
  const running = Array.from({ length: loops }, async () => {
    while (!isOver) {
      await onePayment(shop, random).catch((error: unknown) => {
        if (!isOver) throw error;
      });
      // With shorter pauses the traffic leaves no processor time for the starts of killed
      // processes.
      await pause(random.whole(50, 500));
    }
  });
  // A loop that fails is reported at the end of the run; until then the others continue.
  const ended = Promise.allSettled(running);
  return {
    async stop() {
      isOver = true;
      for (const one of await ended) if (one.status === 'rejected') throw one.reason;
    },
  };
}

const callers = (random: Random) => (random.chance(0.25) ? random.whole(2, 4) : 1);

async function onePayment(shop: Shop, random: Random): Promise<void> {
  const isAutomatic = random.chance(0.15);
  const session = await shop.tokenised(isAutomatic ? 'automatic' : 'manual');
  const paid = await shop.purchase(session, { callers: callers(random) }).ended;
  const paymentId = paid?.status === 200 ? paid.paymentId : null;
  if (!paymentId) return;
  if (!isAutomatic) {
    const captured = await endHold(shop, random, paymentId);
    if (!captured) return;
  }
  if (random.chance(0.4)) await refundPartly(shop, random, paymentId);
}

/** Captures or cancels, sometimes both at once; returns true when the payment ends captured. */
async function endHold(shop: Shop, random: Random, paymentId: string): Promise<boolean> {
  const kinds = random.chance(0.6)
    ? (['capture', 'cancel'] as const)
    : (['cancel', 'capture'] as const);
  const [first, other] = kinds;
  const wanted = [shop.move(first, paymentId, { callers: callers(random) })];
  if (random.chance(0.25)) wanted.push(shop.move(other, paymentId));
  const answers = await Promise.all(wanted.map(({ ended }) => ended));
  return answers.some((answer) => answer?.kind === 'capture' && answer.status === 200);
}

async function refundPartly(shop: Shop, random: Random, paymentId: string): Promise<void> {
  const amounts = random.chance(0.3) ? [price] : [1.01, 5, 12.34].slice(0, random.whole(1, 3));
  const asked: Promise<ReplayableAnswer | undefined>[] = [];
  for (const amount of amounts) {
    const { ended } = shop.refund(paymentId, amount, { callers: callers(random) });
    asked.push(ended);
    if (random.chance(0.5)) await ended;
  }
  await Promise.all(asked);
}

const faults = {
  capture: [
    'drop_reply',
    'drop_request',
    'error_500',
    'error_503_unrecorded',
    'error_429',
    'decline',
    'truncated',
    'late',
    'slow',
  ],
  // `error_500`, which the provider records for the key, is left out: a refund or an attempt would stay in
  // doubt until the provider forgets the key, a day later.
  refund: ['drop_reply', 'drop_request', 'error_503_unrecorded', 'error_429', 'truncated', 'slow'],
} as const;

const paths = {
  capture: ['/v1/payment_intents/*/capture', '/v1/payment_intents/*/cancel'],
  refund: ['/v1/refunds', '/v1/payment_intents/*/confirm'],
} as const;

/** Adds a fault at the provider for some of the next calls. */
export async function plantFault(fixture: Fixture, random: Random): Promise<void> {
  const which = random.chance(0.7) ? 'capture' : 'refund';
  await fixture.control('POST', '/faults', {
    match: { path: random.pick(paths[which]) },
    action: random.pick(faults[which]),
    count: random.whole(1, 4),
    delayMs: random.whole(10, 1500),
  });
}
