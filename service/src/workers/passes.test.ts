import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startPasses, type Worker } from './passes.ts';

let worker: Worker | undefined;
const told: string[] = [];
const log = { error: (_: object, message: string) => void told.push(message) };

beforeEach(() => {
  vi.useFakeTimers();
  told.length = 0;
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
  vi.useRealTimers();
});

/** A pass that returns these counts, then zero. */
const passesReturning = (...counts: number[]) => vi.fn(async () => counts.shift() ?? 0);

describe('startPasses', () => {
  it('goes on while there is work, then looks again at the next poll', async () => {
    const pass = passesReturning(3, 2, 1);
    worker = startPasses({ log, pollMs: 1000 }, pass);
    await vi.advanceTimersByTimeAsync(0);
    expect(pass).toHaveBeenCalledTimes(4);
    await vi.advanceTimersByTimeAsync(999);
    expect(pass).toHaveBeenCalledTimes(4);
    await vi.advanceTimersByTimeAsync(1);
    expect(pass).toHaveBeenCalledTimes(5);
  });

  it('a nudge wakes it, also one that came while a pass was looking elsewhere', async () => {
    let nudge: () => void = () => undefined;
    const pass = vi.fn(async () => {
      if (pass.mock.calls.length === 1) nudge();
      return 0;
    });
    worker = startPasses(
      {
        log,
        pollMs: 60_000,
        onNudge: (listener) => {
          nudge = listener;
        },
      },
      pass,
    );
    await vi.advanceTimersByTimeAsync(0);
    expect(pass).toHaveBeenCalledTimes(2);
    nudge();
    await vi.advanceTimersByTimeAsync(0);
    expect(pass).toHaveBeenCalledTimes(3);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(pass).toHaveBeenCalledTimes(3);
  });

  it('a pass that fails is told, and does not spin', async () => {
    const pass = vi.fn(async () => {
      throw new Error('no database');
    });
    worker = startPasses({ log, pollMs: 1000 }, pass);
    await vi.advanceTimersByTimeAsync(2500);
    expect(pass).toHaveBeenCalledTimes(3);
    expect(told).toEqual(Array(3).fill('a run of a worker failed'));
  });

  it('stop ends the wait at once, waits for a pass in progress, and starts none', async () => {
    let finishPass: (count: number) => void = () => undefined;
    const pass = vi.fn(
      () =>
        new Promise<number>((resolve) => {
          finishPass = resolve;
        }),
    );
    const running = startPasses({ log, pollMs: 1000 }, pass);
    let isStopped = false;
    const stopping = running.stop().then(() => {
      isStopped = true;
    });
    await vi.advanceTimersByTimeAsync(5000);
    expect(isStopped).toBe(false);
    finishPass(7);
    await stopping;
    expect(pass).toHaveBeenCalledTimes(1);

    const idle = startPasses({ log, pollMs: 60_000 }, passesReturning());
    await vi.advanceTimersByTimeAsync(0);
    await idle.stop();
  });
});
