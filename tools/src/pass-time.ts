// The one sleep that tests may use: no-fixed-waits.grit refuses every other one.
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Lets `ms` milliseconds of real time pass, where no condition can be waited for: something outside of
 * the test measures real time, or a counterpart has to be slow. `reason` names it in a few words.
 */
export async function passTime(ms: number, reason: string): Promise<void> {
  if (!/\w+ \w+/.test(reason)) throw new Error('passTime: say in a few words why time must pass');
  await sleep(ms);
}
