import type { Ports } from '../engine/ports.ts';
import { copyPayments } from '../engine/runs/payments/copy-payments.ts';
import { startPasses, type Worker, type WorkerLog } from './passes.ts';

const step = 1000;
// Payments come first. Where changes come faster than they can be copied, the copying takes one
// part in thirty of a processor, and lists merge more changes when they are read. Earlier payments
// are copied a little faster.
const restOf = { behind: 30, filling: 4 } as const;

/** Keeps the copy of payments that lists search up to date. docs/decisions/lists.md. */
export function startCopyPayments(
  ports: Ports,
  options: { log: WorkerLog; pollMs?: number },
): Worker {
  return startPasses(options, async () => {
    const began = performance.now();
    const copied = await copyPayments(ports, { step });
    if (copied === 'idle' || copied === 'busy') return 0;
    return { restMs: (performance.now() - began) * restOf[copied] };
  });
}
