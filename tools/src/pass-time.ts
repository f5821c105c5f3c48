// The one sleep that tests may use: no-fixed-waits.grit refuses every other one.
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Lets `ms` milliseconds of real time pass when there is no condition to wait for: something outside the
 * test measures real time, or a counterpart must be slow. `reason` states this in a few words.
 */
export async function passTime(ms: number, reason: string): Promise<void> {
  if (!/\w+ \w+/.test(reason)) throw new Error('passTime: say in a few words why time must pass');
  await sleep(ms);
}
