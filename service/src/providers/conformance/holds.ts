// Tests of captures, cancels and readings, for the conformance suite.

import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { type BenchCalls, inDoubtWith, refusedWith } from './bench.ts';

export const holdEnds = [
  ['capture', 'captured'],
  ['cancel', 'released'],
] as const;

const effectOf = { capture: 'capture', cancel: 'void' } as const;

/** One end of a hold: what counts as done. */
export function describeEnd(
  ask: () => BenchCalls,
  kind: 'capture' | 'cancel',
  end: 'captured' | 'released',
): void {
  it('2xx, right intent, state and amount: confirmed, with the key as given', async () => {
    const { bench, aHold, provider } = ask();
    const call = await aHold();
    expect(await provider[kind](call)).toMatchObject({
      kind: 'confirmed',
      payment: { intentId: call.intentId, state: end, amountMinor: 1990, currency: 'EUR' },
    });
    const [, effect] = await bench.effects(call.intentId);
    expect(effect).toEqual({ kind: effectOf[kind], amount: 1990, key: call.key });
  });

  it('2xx but wrong amount: in doubt', async () => {
    const { bench, aHold, provider } = ask();
    const call = await aHold();
    await bench.fault(kind, 'wrong_amount');
    expect(await provider[kind](call)).toEqual(inDoubtWith('answer_mismatch'));
  });

  it('not our amount or currency, whatever the state: in doubt', async () => {
    const { aHold, provider } = ask();
    const call = await aHold();
    const other = { ...call, amountMinor: 1989, key: `${call.key}-amount` };
    const foreign = { ...call, currency: 'USD', key: `${call.key}-currency` };
    if (kind === 'cancel')
      expect(await provider.cancel(other)).toEqual(inDoubtWith('answer_mismatch'));
    expect(await provider[kind](foreign)).toEqual(inDoubtWith('answer_mismatch'));
  });

  it.each([
    ['effect_then_reset', 1],
    ['effect_then_silence', 1],
    ['reset_before_effect', 1],
    ['unrecorded_error', 1],
    ['broken_body', 1],
    ['key_in_use', 1],
    ['rate_limited', 1],
    ['effect_then_reset', 2],
    ['effect_then_silence', 2],
    ['recorded_error_after_effect', 2],
  ] as const)('%s ×%i: found done, confirmed, one effect', async (fault, count) => {
    const { bench, aHold, kinds, provider } = ask();
    const call = await aHold();
    await bench.fault(kind, fault, count);
    expect(await provider[kind](call)).toMatchObject({
      kind: 'confirmed',
      payment: { state: end },
    });
    expect(await kinds(call.intentId)).toEqual([effectOf[kind]]);
    const sends = await bench.sends(call.intentId, kind);
    expect(sends).toHaveLength(2);
    expect(sends.every((send) => send.key === call.key)).toBe(true);
  });

  it('401, first send of the key: refused; after an earlier send: in doubt', async () => {
    const { bench, aHold, kinds } = ask();
    const call = await aHold();
    expect(await bench.unauthorised[kind](call)).toEqual(refusedWith('key_refused'));
    expect(await bench.unauthorised[kind]({ ...call, isFirstSend: false })).toEqual(inDoubtWith());
    expect(await kinds(call.intentId)).toEqual([]);
  });

  it('404: refused', async () => {
    const { aHold, provider } = ask();
    const call = await aHold();
    expect(await provider[kind]({ ...call, intentId: 'pi_unknown' })).toEqual(
      refusedWith('provider_configuration'),
    );
  });

  it('not reachable, first send of the key: refused; after an earlier send: in doubt', async () => {
    const { bench, aHold } = ask();
    const call = await aHold();
    expect(await bench.unreachable[kind](call)).toEqual(refusedWith('unavailable'));
    expect(await bench.unreachable[kind]({ ...call, isFirstSend: false })).toEqual(inDoubtWith());
  });
}

/** One end of a hold: what stays open. */
export function describeLostEnd(
  ask: () => BenchCalls,
  kind: 'capture' | 'cancel',
  end: 'captured' | 'released',
): void {
  it('a provider that answers too late, readings too: in doubt, within the budget', async () => {
    const { bench, aHold, provider } = ask();
    const call = await aHold();
    for (const step of [kind, 'retrieve'] as const) await bench.fault(step, 'slow', 5);
    const started = performance.now();
    expect(await provider[kind](call)).toEqual(inDoubtWith());
    expect(performance.now() - started).toBeLessThan(bench.budgetMs + 150);
  });

  it('rate_limited, twice: nothing ran, so it is held back and never refused; the same key goes on', async () => {
    const { bench, aHold, kinds, provider } = ask();
    const call = await aHold();
    const heldBack = { kind: 'in_doubt', cause: 'held_back', isHeldBack: true };
    await bench.fault(kind, 'rate_limited', 5);
    expect(await provider[kind](call)).toMatchObject(heldBack);
    expect(await provider[kind]({ ...call, isFirstSend: false })).toMatchObject(heldBack);
    await bench.clearFaults();
    expect(await kinds(call.intentId)).toEqual([]);
    expect(await provider[kind]({ ...call, isFirstSend: false })).toMatchObject({
      kind: 'confirmed',
    });
  });

  it('rate_limited after an answer that was lost: in doubt, because the lost send may take effect', async () => {
    const { bench, aHold, provider } = ask();
    const call = await aHold();
    await bench.fault(kind, 'reset_before_effect', 1);
    await bench.fault(kind, 'rate_limited', 5);
    const outcome = await provider[kind](call);
    await bench.clearFaults();
    expect(outcome).toEqual(inDoubtWith('not_accepted_yet'));
    expect(outcome).not.toHaveProperty('isHeldBack');
  });

  it.each(['reset_before_effect', 'unrecorded_error', 'key_in_use'] as const)(
    '%s, twice: in doubt, at most one resend, and the same key then goes through',
    async (fault) => {
      const { bench, aHold, kinds, provider } = ask();
      const call = await aHold();
      await bench.fault(kind, fault, 5);
      expect(await provider[kind](call)).toEqual(inDoubtWith());
      expect(await bench.sends(call.intentId, kind)).toHaveLength(2);
      await bench.clearFaults();
      expect(await provider[kind]({ ...call, isFirstSend: false })).toMatchObject({
        kind: 'confirmed',
      });
      expect(await kinds(call.intentId)).toEqual([effectOf[kind]]);
    },
  );

  it('executed late, after we gave up: in doubt, then found by the same key, once', async () => {
    const { bench, aHold, kinds, provider } = ask();
    const call = await aHold();
    await bench.fault(kind, 'reset_then_late_effect', 2);
    expect(await provider[kind](call)).toEqual(inDoubtWith());
    expect(await kinds(call.intentId)).toEqual([]);
    await expect.poll(() => kinds(call.intentId), { timeout: 10_000 }).toEqual([effectOf[kind]]);
    expect(await provider[kind]({ ...call, isFirstSend: false })).toMatchObject({
      kind: 'confirmed',
      payment: { state: end },
    });
    expect(await kinds(call.intentId)).toEqual([effectOf[kind]]);
  });

  it('5xx on record and read-back shows not done: refused', async () => {
    const { bench, aHold, provider, kinds } = ask();
    const call = await aHold();
    await bench.fault(kind, 'recorded_error');
    expect(await provider[kind](call)).toEqual(refusedWith('provider_error'));
    expect(await kinds(call.intentId)).toEqual([]);
  });

  it('5xx on record for a key that may have been forgotten in between: in doubt', async () => {
    const { bench, aHold, provider } = ask();
    const call = { ...(await aHold()), isFirstSend: false, mayBeForgotten: true };
    await bench.fault(kind, 'recorded_error');
    expect(await provider[kind](call)).toEqual(inDoubtWith());
  });

  it.each(['recorded_error', 'effect_then_reset', 'reset_before_effect'] as const)(
    '%s and the read-back fails: in doubt',
    async (fault) => {
      const { bench, aHold, provider } = ask();
      const call = await aHold();
      await bench.fault(kind, fault, 2);
      await bench.fault('retrieve', 'unrecorded_error', 3);
      expect(await provider[kind](call)).toEqual(inDoubtWith());
    },
  );
}

/** Tests for providers that refuse by state, with `payment_intent_unexpected_state` or a similar code. */
export function describeGuardedEnds(ask: () => BenchCalls): void {
  it.each([
    ['capture', 'the first send of the key', true, undefined],
    ['capture', 'an earlier send is open', false, undefined],
    ['cancel', 'an earlier send is open', false, undefined],
    ['cancel', 'a send of this call was lost', true, 'reset_before_effect'],
  ] as const)(
    'unexpected state, and it is the one wanted (%s by hand), %s: confirmed',
    async (kind, _, isFirstSend, fault) => {
      const { bench, aHold, provider, kinds } = ask();
      const call = await aHold();
      await bench.actAtProvider(call.intentId, kind);
      if (fault) await bench.fault(kind, fault, 1);
      expect(await provider[kind]({ ...call, isFirstSend })).toMatchObject({ kind: 'confirmed' });
      expect(await kinds(call.intentId)).toEqual([effectOf[kind]]);
    },
  );

  it.each([
    ['capture', 'cancel', 'released', 'canceled'],
    ['capture', 'expire', 'released', 'expired'],
    ['cancel', 'capture', 'captured', null],
    // No send of the service caused it: another party's end, with the reason that the provider states.
    ['cancel', 'cancel', 'released', 'canceled'],
    ['cancel', 'expire', 'released', 'expired'],
    // Never an effect of the service, which captures the whole amount.
    ['capture', 'capture part', 'captured', null],
    ['cancel', 'capture part', 'captured', null],
  ] as const)('unexpected state at %s after %s by hand: refused for good', async (...row) => {
    const [kind, act, state, releasedBecause] = row;
    const { bench, aHold, provider } = ask();
    const call = await aHold();
    await bench.actAtProvider(call.intentId, act);
    expect(await provider[kind](call)).toMatchObject({
      kind: 'refused',
      code: 'unexpected_state',
      payment: { state, releasedBecause },
    });
  });
}

/** Tests of captures only. */
export function describeCapture(ask: () => BenchCalls): void {
  it('another 4xx refusal (declined): refused, still held', async () => {
    const { bench, aHold, provider } = ask();
    const call = await aHold();
    await bench.fault('capture', 'refused');
    expect(await provider.capture(call)).toMatchObject({ kind: 'refused', payment: null });
    expect(await provider.retrieve(call.intentId)).toMatchObject({
      payment: { state: 'authorized' },
    });
  });

  it('the key used before with other parameters: never refused while its effect is open', async () => {
    const { aHold, provider, kinds } = ask();
    const call = await aHold();
    await provider.capture(call);
    const changed = { ...call, operationId: randomUUID(), isFirstSend: false };
    expect(await provider.capture(changed)).toMatchObject({
      kind: 'confirmed',
      payment: { state: 'captured' },
    });
    expect(await kinds(call.intentId)).toEqual(['capture']);
  });
}

/** A reading never reports a refusal. */
export function describeRetrieve(ask: () => BenchCalls): void {
  it('never says no: an unknown intent is missing, a failed reading in doubt', async () => {
    const { bench, aHold, provider } = ask();
    const call = await aHold();
    expect(await provider.retrieve('pi_unknown')).toMatchObject({ kind: 'missing' });
    await bench.fault('retrieve', 'unrecorded_error');
    expect(await provider.retrieve(call.intentId)).toMatchObject({ kind: 'in_doubt' });
    expect(await bench.unreachable.retrieve(call.intentId)).toMatchObject({ kind: 'in_doubt' });
    expect(await provider.retrieve(call.intentId)).toMatchObject({ kind: 'found' });
  });
}
