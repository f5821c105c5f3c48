import type { Ports } from '../engine/ports.ts';
import { mailBuyers } from '../engine/runs/buyer-mails/mail-buyers.ts';
import { type PassOptions, startPasses, type Worker } from './passes.ts';

/** Writes the mails to buyers that merchants have switched on. Any number of processes may run it. */
export const startMailBuyers = (ports: Ports, options: PassOptions): Worker =>
  startPasses({ pollMs: 5000, ...options }, () =>
    mailBuyers(ports, {
      onError: (clientId, error) =>
        options.log.error({ clientId, err: error }, 'buyers not mailed'),
    }),
  );
