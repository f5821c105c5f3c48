import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Detachment,
  type DetachmentFailure,
  detachmentSteps,
  endsDetachment,
  isHeld,
  meaningOf,
  pauseMs,
} from './detachment.ts';

const failures: readonly DetachmentFailure[] = [
  'no_replacement',
  'provider_unreadable',
  'replacement_gone',
  'kept_for_another',
  'default_refused',
  'default_in_doubt',
  'funding_unreadable',
  'funding_not_moved',
  'vault_in_doubt',
  'detach_refused',
  'detach_not_done',
  'detach_in_doubt',
  'still_attached',
  'detached_unreadable',
];

const now = new Date('2026-01-01T00:00:00.000Z');
const aDetachment = (given: Partial<Detachment> = {}): Detachment => ({
  paymentMethodId: 'm',
  clientId: 'c',
  step: 'claimed',
  state: 'running',
  replacementId: null,
  movedSubscriptions: [],
  hasMovedDefault: false,
  wasProviderDefault: false,
  customerVersion: 0,
  failureReason: null,
  epoch: 1,
  leaseOwner: 'me',
  leaseUntil: new Date(now.getTime() + 1000),
  tries: 0,
  ...given,
});

describe('endsDetachment', () => {
  it('before a detach was sent, whatever happened ends it: the method stays as it was', () => {
    for (const step of detachmentSteps.slice(0, 6)) {
      for (const failure of failures)
        expect(endsDetachment(aDetachment({ step }), failure)).toBe(true);
    }
  });

  it('once a detach may have arrived, only the word that the only one was not done ends it', () => {
    const sentAfter = (tries: number) => aDetachment({ step: 'vault_wiped', tries });
    const undone = ['detach_refused', 'detach_not_done'];
    for (const failure of failures) {
      expect(endsDetachment(sentAfter(1), failure)).toBe(undone.includes(failure));
      expect(endsDetachment(sentAfter(2), failure)).toBe(false);
    }
  });

  it('once it is detached nothing ends it but the tombstone', () => {
    for (const failure of failures) {
      expect(endsDetachment(aDetachment({ step: 'detached', tries: 0 }), failure)).toBe(false);
    }
  });
});

describe('meaningOf', () => {
  it('a 502 carries reason, resolution and retrySafe, which is false only where nobody can tell', () => {
    for (const failure of failures.filter((one) => one !== 'no_replacement')) {
      const { code, reason, resolution, retrySafe } = meaningOf(failure);
      expect(code).toBe('payment_method_deletion_failed');
      expect([typeof reason, typeof resolution]).toEqual(['string', 'string']);
      expect(retrySafe).toBe(failure !== 'detached_unreadable');
    }
  });

  it('nothing left that could take over is in_use', () => {
    expect(meaningOf('no_replacement')).toEqual({ code: 'payment_method_in_use' });
  });
});

describe('isHeld', () => {
  it('by somebody else, until the lease is over', () => {
    expect(isHeld(aDetachment(), { owner: 'other', now })).toBe(true);
    expect(isHeld(aDetachment(), { owner: 'me', now })).toBe(false);
    const later = new Date(now.getTime() + 1000);
    expect(isHeld(aDetachment(), { owner: 'other', now: later })).toBe(false);
    expect(isHeld(aDetachment({ leaseUntil: null }), { owner: 'other', now })).toBe(false);
    expect(isHeld(aDetachment({ state: 'failed' }), { owner: 'other', now })).toBe(false);
  });
});

describe('pauseMs', () => {
  it('grows with each try, from seconds to a quarter of an hour', () => {
    expect([0, 1, 2, 3].map(pauseMs)).toEqual([2000, 2000, 4000, 8000]);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e6 }), (tries) => {
        expect(pauseMs(tries + 1)).toBeGreaterThanOrEqual(pauseMs(tries));
        expect(pauseMs(tries)).toBeLessThanOrEqual(900_000);
      }),
    );
  });
});
