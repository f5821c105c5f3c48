// What the conformance suite needs from a provider's sandbox, and the calls it makes.

import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { AuthorizeCall, HoldCall, Provider } from '../../engine/ports.ts';

/** The faults that the network or the provider can cause in one call. */
export type Fault =
  | 'effect_then_reset'
  | 'effect_then_silence'
  | 'reset_before_effect'
  | 'reset_then_late_effect'
  | 'recorded_error'
  | 'recorded_error_after_effect'
  | 'unrecorded_error'
  | 'key_in_use'
  | 'rate_limited'
  | 'slow'
  | 'wrong_amount'
  | 'broken_body'
  | 'refused';

export type Step = 'create' | 'confirm' | 'capture' | 'cancel' | 'retrieve';

export type ProviderFixture = {
  readonly provider: Provider;
  /** The same account at an address where nothing listens; below, with a credential that is not accepted. */
  readonly unreachable: Provider;
  readonly unauthorised: Provider;
  readonly budgetMs: number;
  /** Makes a payment method from a test card number. */
  aPaymentMethod(number: string): Promise<string>;
  aCustomer(): Promise<string>;
  fault(step: Step, fault: Fault, count?: number): Promise<void>;
  clearFaults(): Promise<void>;
  /** Returns the provider's effects, oldest first, in its own minor units. */
  effects(intentId: string): Promise<{ kind: string; amount: number; key: string | null }[]>;
  sends(intentId: string, step: Step): Promise<{ key: string | null }[]>;
  /** Acts as a person in the provider's dashboard, or as its clock. */
  actAtProvider(
    intentId: string,
    act: 'capture' | 'capture part' | 'cancel' | 'expire',
  ): Promise<void>;
  answerChallenge(url: string, answer: 'approve' | 'fail'): Promise<void>;
  close(): Promise<void>;
};

export type BenchCalls = ReturnType<typeof openBenchCalls>;

/** Makes calls on new payments of the bench. */
export function openBenchCalls(bench: ProviderFixture) {
  const attempt = async (number: string, given: Partial<AuthorizeCall> = {}) => {
    const operationId = randomUUID();
    const call: AuthorizeCall = {
      key: `op-${operationId}-1`,
      isFirstSend: true,
      operationId,
      paymentId: randomUUID(),
      sessionId: randomUUID(),
      intentId: null,
      amountMinor: 1990,
      currency: 'EUR',
      captureMethod: 'manual',
      providerPaymentMethodId: await bench.aPaymentMethod(number),
      returnUrl: 'http://localhost:4000/c/x',
      onIntent: async () => true,
      ...given,
    };
    const intents: string[] = [];
    const onIntent = async (id: string) => {
      intents.push(id);
      return call.onIntent(id);
    };
    const authorizeAgain = (provider = bench.provider, more: Partial<AuthorizeCall> = {}) =>
      provider.authorize({ ...call, intentId: intents[0] ?? call.intentId, onIntent, ...more });
    return {
      call,
      again: authorizeAgain,
      outcome: await authorizeAgain(),
      intentId: intents[0] ?? '',
      intents,
    };
  };
  const aHold = async (given: Partial<HoldCall> = {}): Promise<HoldCall> => {
    const made = await attempt('4242424242424242', given as Partial<AuthorizeCall>);
    expect(made.outcome).toMatchObject({ kind: 'confirmed', payment: { state: 'authorized' } });
    const operationId = randomUUID();
    return {
      key: `op-${operationId}-1`,
      isFirstSend: true,
      operationId,
      paymentId: made.call.paymentId,
      intentId: made.intentId,
      amountMinor: made.call.amountMinor,
      currency: made.call.currency,
    };
  };
  const listKinds = async (intentId: string) =>
    (await bench.effects(intentId)).map((effect) => effect.kind).slice(1);
  return { bench, attempt, aHold, kinds: listKinds, provider: bench.provider };
}

export const refusedWith = (code: string): unknown =>
  expect.objectContaining({ kind: 'refused', code });
export const inDoubtWith = (cause?: string): unknown =>
  expect.objectContaining(cause ? { kind: 'in_doubt', cause } : { kind: 'in_doubt' });
