import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, createHold, openBench, refusal } from '../../test/sandbox.ts';

const benches: Record<string, Bench> = {};
beforeAll(async () => {
  benches.guarded = await openBench({ mode: 'guarded' });
  benches.unguarded = await openBench({ mode: 'unguarded' });
});
afterAll(() => Promise.all(Object.values(benches).map((bench) => bench.sandbox.close())));

const openMode = (mode: string): Bench => {
  const bench = benches[mode];
  if (!bench) throw new Error(mode);
  return bench;
};

const listKinds = async (bench: Bench, id: string) =>
  (await bench.control.ledger(id)).map((entry) => entry.kind);

describe('a second capture', () => {
  test('guarded: a new key is refused, one capture in the ledger', async () => {
    const bench = openMode('guarded');
    const { id } = await createHold(bench);
    await bench.stripe.paymentIntents.capture(id, {}, { idempotencyKey: 'a' });
    await refusal(bench.stripe.paymentIntents.capture(id, {}, { idempotencyKey: 'b' }));
    expect(await listKinds(bench, id)).toEqual(['authorize', 'capture']);
  });

  test('unguarded: a new key captures again, the same key does not', async () => {
    const bench = openMode('unguarded');
    const { id } = await createHold(bench);
    for (const idempotencyKey of ['a', 'a', 'b']) {
      await bench.stripe.paymentIntents.capture(id, {}, { idempotencyKey });
    }
    expect(await listKinds(bench, id)).toEqual(['authorize', 'capture', 'capture']);
  });

  test('unguarded: a cancelled hold is captured, a captured one cancelled', async () => {
    const bench = openMode('unguarded');
    const { id } = await createHold(bench);
    await bench.stripe.paymentIntents.cancel(id);
    await bench.stripe.paymentIntents.cancel(id);
    await bench.stripe.paymentIntents.capture(id);
    await bench.stripe.paymentIntents.cancel(id);
    expect(await listKinds(bench, id)).toEqual(['authorize', 'void', 'void', 'capture', 'void']);
  });

  test('unguarded: a refund beyond the charge goes through', async () => {
    const bench = openMode('unguarded');
    const { id } = await createHold(bench);
    await bench.stripe.paymentIntents.capture(id);
    await bench.stripe.refunds.create({ payment_intent: id });
    await bench.stripe.refunds.create({ payment_intent: id });
    const refunds = (await bench.control.ledger(id)).filter(({ kind }) => kind === 'refund');
    expect(refunds.map(({ amount }) => amount)).toEqual([1000, 1000]);
  });

  test('unguarded: a second confirmation charges again', async () => {
    const bench = openMode('unguarded');
    const { id } = await createHold(bench);
    await bench.stripe.paymentIntents.confirm(id, {});
    expect(await listKinds(bench, id)).toEqual(['authorize', 'authorize']);
  });
});
