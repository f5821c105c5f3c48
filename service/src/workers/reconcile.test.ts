import { describe, expect, it } from 'vitest';
import { portsFor } from '../../test/harness.ts';
import type { Database } from '../storage/database.ts';
import { startReconcile } from './reconcile.ts';

describe('startReconcile', () => {
  it('told to stop in the middle of a run, it stops, and does not wait for the next hour', async () => {
    let stopped: Promise<void> | undefined;
    const database = {
      read: async () => {
        stopped = worker.stop();
        return [];
      },
    } as unknown as Database;
    const log = { warn: () => undefined, error: () => undefined };
    const worker = startReconcile(portsFor(database), { log, firstAfterMs: 0 });
    await expect.poll(() => stopped !== undefined).toBe(true);
    await stopped;
  });
});
