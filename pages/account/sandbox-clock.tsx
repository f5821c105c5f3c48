// The clock of a sandbox, where it was moved: what these pages show lies ahead of the wall clock then.

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { listSignIns } from './home-calls.ts';
import { Time } from './home-parts.tsx';

/** The service tells when this browser was last seen exactly to five minutes. */
const exactMs = 300_000;
/** Beyond that, and two clocks that are a little apart, it was moved. */
const movedMs = 3 * exactMs;

const aheadMs = signal(0);

/** What the service's clock says, as far as it is known here. */
export const serviceTime = (): number => Date.now() + aheadMs.value;

async function readClock(): Promise<void> {
  const seen = (await listSignIns()).find(({ isThisOne }) => isThisOne);
  if (!seen) return;
  const ahead = new Date(seen.lastSeenAt).getTime() - Date.now();
  aheadMs.value = Math.abs(ahead) < movedMs ? 0 : ahead;
}

export function SandboxClock() {
  useEffect(() => {
    // Without an answer the line is left out: the page's own calls tell what is wrong.
    readClock().catch(() => undefined);
  }, []);
  if (aheadMs.value === 0) return null;
  return (
    <span>
      Clock of the sandbox: about <Time at={new Date(serviceTime()).toISOString()} />.
    </span>
  );
}
