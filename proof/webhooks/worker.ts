// A process that delivers as the service does: the real worker with the real sender, with limits
// that are short enough for a proof.

import { randomBytes } from 'node:crypto';
import { idSource } from '../../service/src/domain/protocol/uuid-v7.ts';
import { openDatabase } from '../../service/src/storage/database/database.ts';
import { openSealed } from '../../service/src/storage/database/sealed.ts';
import { webhookSender } from '../../service/src/webhooks/send.ts';
import { startDeliverWebhooks } from '../../service/src/workers/deliver-webhooks.ts';

export type WorkerStart = {
  readonly url: string;
  readonly kek: string;
  readonly movingShare: number;
};

/** A log line of the worker, in a form that can be counted. */
export type FromWorker = { readonly kind: 'said'; readonly text: string };

const reportText = (text: string) => process.send?.({ kind: 'said', text } satisfies FromWorker);

const privateAddress = '10.11.12.13';

function startWorker({ url, kek, movingShare }: WorkerStart): void {
  const database = openDatabase({ url, poolSize: 8 });
  const sealed = openSealed({
    ...{ database, randomBytes, kek: Buffer.from(kek, 'base64') },
  });
  const sendWebhook = webhookSender({
    allow: ['127.0.0.0/8'],
    connectMs: 400,
    totalMs: 500,
    // A name that resolves to another address between attempts.
    resolve: async (name) =>
      name.startsWith('hidden') || Math.random() < movingShare ? [privateAddress] : ['127.0.0.1'],
  });
  const newId = idSource(Date.now, randomBytes);
  startDeliverWebhooks(
    { database, sealed, sendWebhook, newId, randomBytes },
    {
      log: {
        warn: ({ outcome }, text) =>
          reportText(outcome === 'lease_lost' ? 'a lease was lost' : text),
        error: (_, text) => reportText(text),
      },
      onNudge: () => () => undefined,
      pollMs: 40,
    },
  );
}

process.once('message', startWorker);
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit(0));
