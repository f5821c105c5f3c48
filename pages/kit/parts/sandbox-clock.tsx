// The clock of a sandbox, shown when it was moved: the pages then show times after the wall clock.

import { signal } from '@preact/signals';
import { msOf } from '@svc/contract/values/instants';
import { useEffect } from 'preact/hooks';
import { call } from '../calls.ts';
import { Time } from './time.tsx';

/** The service reports when this browser was last seen with a precision of five minutes. */
const exactMs = 300_000;
/** A larger difference means that the clock was moved, even when two clocks differ a little. */
const movedMs = 3 * exactMs;

const aheadMs = signal(0);

/** Returns the service's time in milliseconds, as far as it is known here. */
export const serviceTime = (): number => Date.now() + aheadMs.value;

/** Reads how far the service's clock is ahead of this browser's. */
export async function readClock(): Promise<void> {
  const seen = (await call('GET /v1/account/sign-ins', {})).data.find(({ isThisOne }) => isThisOne);
  if (!seen) return;
  const ahead = msOf(seen.lastSeenAt) - Date.now();
  aheadMs.value = Math.abs(ahead) < movedMs ? 0 : ahead;
}

export function SandboxClock() {
  useEffect(() => {
    // Without a response the line is left out: the page's own calls show the error.
    readClock().catch(() => undefined);
  }, []);
  if (aheadMs.value === 0) return null;
  return (
    <span>
      Clock of the sandbox: about <Time at={new Date(Math.round(serviceTime())).toISOString()} />.
    </span>
  );
}
