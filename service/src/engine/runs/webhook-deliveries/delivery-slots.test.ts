import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  firstInFlight,
  mostInFlight,
  quickAnswerMs,
} from '../../../domain/protocol/webhook-schedule.ts';
import { type DeliverySlot, DeliverySlots, type WaitingDelivery } from './delivery-slots.ts';

const good = { isGood: true, durationMs: 5 };
const bad = { isGood: false, durationMs: 5 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const visitor = (endpointId: string, given: Partial<WaitingDelivery> = {}): WaitingDelivery => ({
  endpointId,
  clientId: `merchant of ${endpointId}`,
  isFailing: false,
  ...given,
});

/** Asks for so many turns; answers those that came, none for those that never will. */
async function takeSlots(
  gate: DeliverySlots,
  endpoint: string,
  count: number,
  given: Partial<WaitingDelivery> = {},
) {
  const came: (DeliverySlot | undefined)[] = [];
  for (let n = 0; n < count; n++) {
    void gate.enter(visitor(endpoint, given)).then((turn) => came.push(turn));
  }
  await settleTurns();
  return came;
}

const settleTurns = async () => {
  for (let n = 0; n < 5; n++) await Promise.resolve();
};

async function answerMany(gate: DeliverySlots, endpoint: string, count: number) {
  for (let n = 0; n < count; n++) (await gate.enter(visitor(endpoint)))?.end(good);
}

describe('the gate', () => {
  it('four in flight at an endpoint that nothing is known of, and nothing claimed ahead', async () => {
    const gate = new DeliverySlots(64);
    expect(gate.placesOf('a')).toBe(firstInFlight);
    expect(await takeSlots(gate, 'a', 9)).toHaveLength(firstInFlight);
    expect(gate.isRunningLow('a')).toBe(false);
  });

  it('more, up to the most, where answers are quick and good', async () => {
    const gate = new DeliverySlots(64);
    await answerMany(gate, 'a', 500);
    expect(await takeSlots(gate, 'a', 100)).toHaveLength(mostInFlight);
    expect(gate.placesOf('a')).toBeGreaterThan(mostInFlight);
    expect(gate.placesOf('b')).toBe(firstInFlight);
  });

  it('runs low where nothing waits, at a quick endpoint where less than three turns of its sends wait', async () => {
    const gate = new DeliverySlots(64);
    expect(gate.isRunningLow('a')).toBe(true);
    await answerMany(gate, 'a', 500);
    const came = await takeSlots(gate, 'a', 4 * mostInFlight);
    expect(gate.isRunningLow('a')).toBe(false);
    came[0]?.end(good);
    expect(gate.isRunningLow('a')).toBe(true);
  });

  it.each([
    ['a bad answer', bad],
    ['a slow answer', { isGood: true, durationMs: quickAnswerMs }],
  ])('%s: four again at once, and what waited is given back', async (_, answer) => {
    const gate = new DeliverySlots(64);
    await answerMany(gate, 'a', 500);
    const came = await takeSlots(gate, 'a', 40);
    came[0]?.end(answer);
    await settleTurns();
    expect(came.slice(32)).toEqual(Array(8).fill(undefined));
    expect(gate.placesOf('a')).toBe(firstInFlight);
    expect(gate.isRunningLow('a')).toBe(true);
  });

  it('a turn in which nothing was sent says nothing of the endpoint', async () => {
    const gate = new DeliverySlots(64);
    await answerMany(gate, 'a', 500);
    const came = await takeSlots(gate, 'a', 40);
    came[0]?.end(undefined);
    await settleTurns();
    expect(came).toHaveLength(mostInFlight + 1);
    expect(came.at(-1)).toBeDefined();
    expect(gate.placesOf('a')).toBeGreaterThan(mostInFlight);
  });

  it('the process sends no more than its number at once, whatever the endpoints', async () => {
    const gate = new DeliverySlots(6);
    const first = await takeSlots(gate, 'a', 4);
    const second = await takeSlots(gate, 'b', 4);
    expect(second).toHaveLength(2);
    first[0]?.end(good);
    await settleTurns();
    expect(second).toHaveLength(3);
  });

  it('sends that hang give their places in the process to others, and keep those of their endpoint', async () => {
    const gate = new DeliverySlots(4);
    const hanging = await takeSlots(gate, 'hole', 6);
    const others = await takeSlots(gate, 'b', 3);
    expect([hanging.length, others.length]).toEqual([4, 0]);
    vi.advanceTimersByTime(quickAnswerMs);
    await settleTurns();
    expect(gate.slow).toBe(4);
    expect(others.filter((turn) => turn !== undefined)).toHaveLength(3);
    // The two that waited for the endpoint went back to the queue, and no further slot is given.
    expect(hanging.slice(4)).toEqual([undefined, undefined]);
    expect(await takeSlots(gate, 'hole', 1)).toHaveLength(0);
    for (const turn of hanging) turn?.end(bad);
    expect(gate.slow).toBe(0);
  });

  it("a place that comes free goes to the merchant with the fewest sends, whoever's queue is older", async () => {
    const gate = new DeliverySlots(8);
    const clientId = 'big';
    const big = await Promise.all(
      ['a', 'b', 'c'].map((id) => takeSlots(gate, id, 4, { clientId })),
    );
    const small = await takeSlots(gate, 'd', 1, { clientId: 'small' });
    expect([big.flat().length, small.length]).toEqual([8, 0]);
    expect([gate.heldBy('big'), gate.heldBy('small')]).toEqual([12, 1]);
    big[0]?.[0]?.end(good);
    await settleTurns();
    expect(small).toHaveLength(1);
    expect(big.flat()).toHaveLength(8);
    small[0]?.end(good);
    await settleTurns();
    expect([gate.heldBy('big'), gate.heldBy('small')]).toEqual([11, 0]);
  });

  it('the endpoints of one merchant take turns', async () => {
    const gate = new DeliverySlots(1);
    const clientId = 'big';
    const order: string[] = [];
    const enterOne = async (id: string) => {
      const turn = await gate.enter(visitor(id, { clientId }));
      order.push(id);
      await settleTurns();
      turn?.end(good);
    };
    await Promise.all(['a', 'a', 'a', 'b', 'b', 'c'].map(enterOne));
    expect(order.join('')).toBe('aabcab');
  });

  it('a send to a failing endpoint counts as one until it ends or hangs', async () => {
    const gate = new DeliverySlots(4);
    const [ended] = await takeSlots(gate, 'a', 1, { isFailing: true });
    await takeSlots(gate, 'b', 1, { isFailing: true });
    await takeSlots(gate, 'c', 1);
    expect(gate.failing).toBe(2);
    ended?.end(bad);
    expect(gate.failing).toBe(1);
    vi.advanceTimersByTime(quickAnswerMs);
    expect(gate.failing).toBe(0);
    expect(gate.heldBy('merchant of b')).toBe(0);
  });

  it('closed: turns nobody in, and gives back what waits', async () => {
    const gate = new DeliverySlots(64);
    const came = await takeSlots(gate, 'a', 5);
    gate.close();
    await settleTurns();
    expect(came).toHaveLength(5);
    expect(came[4]).toBeUndefined();
    expect(await gate.enter(visitor('b'))).toBeUndefined();
  });
});
