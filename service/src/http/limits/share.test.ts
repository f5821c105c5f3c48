// Limits that processes count together: two ledgers over one database.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../../test/harness.ts';
import { tellTakes } from '../../storage/people/shared-limits.ts';
import { contractLimits, openLimits } from './limits.ts';
import type { Takes } from './share.ts';

let db: TestDatabase;
const faults: unknown[] = [];
beforeAll(async () => {
  db = await freshDatabase();
});
afterAll(async () => {
  await db?.close();
  expect(faults).toEqual([]);
});

function aProcess() {
  const told: (readonly Takes[])[] = [];
  const limits = openLimits(contractLimits, {
    // Nothing comes back in the process itself; in the database time goes on.
    nowMs: () => 0,
    onFault: (error) => faults.push(error),
    share: async (takes) => {
      const left = await tellTakes(db.database, takes);
      told.push(takes);
      return left;
    },
  });
  /** Resolves when the next exchange is over. */
  const heard = async (count: number) => {
    await expect.poll(() => told.length, { interval: 1 }).toBeGreaterThanOrEqual(count);
    await new Promise(setImmediate);
  };
  return { limits, told, heard };
}

describe('processes that share their limits', () => {
  it('ten wrong guesses of one address in all, whichever process takes each', async () => {
    const processes = [aProcess(), aProcess()];
    let allowed = 0;
    for (let guess = 0; guess < 24; guess++) {
      const { limits, told, heard } = processes[guess % 2] as ReturnType<typeof aProcess>;
      const before = told.length;
      if (!limits.wrongSession.take('203.0.113.7').isAllowed) continue;
      allowed += 1;
      await heard(before + 1);
    }
    // The last one of each process may not know the other's.
    expect(allowed).toBeGreaterThanOrEqual(10);
    expect(allowed).toBeLessThanOrEqual(11);
    expect(processes[0]?.limits.wrongSession.take('198.51.100.9').isAllowed).toBe(true);
  });

  it('a limit with many left is told once a second, not for each request', async () => {
    const { limits, told, heard } = aProcess();
    for (let n = 0; n < 50; n++) limits.sessionCreate.take('203.0.113.8');
    expect(told).toHaveLength(0);
    await heard(1);
    expect(told.map((takes) => takes.map(({ count }) => count))).toEqual([[50]]);
    const other = aProcess();
    other.limits.sessionCreate.take('203.0.113.8');
    await other.heard(1);
    // 51 of 120 were taken before; two come back each second.
    const { remaining } = other.limits.sessionCreate.take('203.0.113.8');
    expect(remaining).toBeGreaterThanOrEqual(68);
    expect(remaining).toBeLessThan(100);
  });

  it('an attempt that is given back counts for nobody', async () => {
    const { limits, heard } = aProcess();
    limits.processAddress.take('203.0.113.9');
    limits.processAddress.giveBack('203.0.113.9');
    await heard(1);
    const other = aProcess();
    other.limits.processAddress.take('203.0.113.9');
    await other.heard(1);
    expect(other.limits.processAddress.take('203.0.113.9').remaining).toBe(28);
  });

  it('while the database does not answer each process keeps to its own count', async () => {
    const limits = openLimits(contractLimits, {
      nowMs: () => 0,
      share: () => Promise.reject(new Error('timeout expired')),
    });
    const taken = Array.from({ length: 12 }, () => limits.wrongSession.take('a').isAllowed);
    expect(taken.filter(Boolean)).toHaveLength(10);
  });
});
