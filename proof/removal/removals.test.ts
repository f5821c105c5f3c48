import { describe, expect, it } from 'vitest';
import { runRemovals } from './run-removals.ts';

/** What has to happen among so many, or they prove less than they say. */
const mustHappen = [
  '204',
  'a call took effect late',
  'a commit was lost after',
  'a commit was lost before',
  'a payment is pending',
  'a payment is processing',
  'a payment is unknown',
  'detachMethod: late',
  'detachMethod: lost after',
  'detachMethod: lost before',
  'detachMethod: refused',
  'died after a read',
  'died after a transaction',
  'died after detachMethod',
  'died after forget',
  'died after setDefaultMethod',
  'died before a read',
  'died before a transaction',
  'died before detachMethod',
  'died before forget',
  'died before setDefaultMethod',
  'forget: lost after',
  'forget: lost before',
  'left on the way',
  'nobody was told',
  'payment_method_deletion_failed',
  'payment_method_has_active_payment',
  'payment_method_in_use',
  'retrieveCustomer: unread',
  'retrieveMethod: stale',
  'retrieveMethod: unread',
  'setDefaultMethod: hollow',
  'setDefaultMethod: late',
  'setDefaultMethod: lost after',
  'setDefaultMethod: lost before',
  'setDefaultMethod: refused',
  'the worker came by',
];

describe('removals with faults after every step', () => {
  it('500: nothing depends on a removed card, a failure leaves it as it was, repeats end in 204', async () => {
    const { violations, sometimes } = await runRemovals({ count: 500, seed: 1 });
    expect(violations).toEqual([]);
    for (const what of mustHappen) expect(sometimes[what], what).toBeGreaterThan(0);
  }, 300_000);
});
