// Makes the files that people asked to keep: one at a time in each process. Additions §8, Kept files;
// docs/decisions/reports.md.

import type { PaymentColumn } from '@svc/contract/reports/exports';
import { allowLongReads } from '../../../storage/database/cursor.ts';
import {
  addChunk,
  beginExport,
  type ClaimedExport,
  claimExport,
  failExport,
  finishExport,
  LeaseLost,
  releaseExport,
  sweepExports,
} from '../../../storage/reports/making-exports.ts';
import { packChunk } from '../../../storage/reports/packed-chunks.ts';
import { measureExport } from '../../../storage/reports/payment-export.ts';
import type { Ports } from '../../ports.ts';
import { recordChangeFor } from '../../steps/audit-log/record-without-request.ts';
import type { PaymentFile } from '../../steps/reports/read-file-query.ts';
import { readReportZone } from '../../steps/reports/report-zone.ts';
import {
  fileFacts,
  paymentFileName,
  writePaymentFile,
} from '../../steps/reports/write-payment-file.ts';

/** Characters of one chunk, about 100 kB once it is packed. */
const chunkLength = 1_048_576;

type ExportPorts = Pick<Ports, 'database' | 'sealed' | 'newId'>;

/**
 * Makes one file, or deletes expired ones. Returns how many files it made or deleted. An interrupted file is
 * made again from its beginning, because all its rows must be of one moment.
 */
export async function makeExports(
  ports: ExportPorts,
  pass: { readonly onError: (clientId: string, error: unknown) => void },
): Promise<number> {
  const claimed = await claimExport(ports.database);
  if (!claimed) return sweepExports(ports.database);
  try {
    await makeExport(claimed, ports);
  } catch (error) {
    if (!(error instanceof LeaseLost)) {
      pass.onError(claimed.clientId, error);
      await releaseExport(ports.database, claimed);
    }
  }
  return 1 + (await sweepExports(ports.database));
}

async function makeExport(claimed: ClaimedExport, ports: ExportPorts): Promise<void> {
  const { database } = ports;
  const { clientId, filters, timeZone, style } = claimed;
  const { isLive } = await readReportZone(database, clientId, timeZone);
  const columns = claimed.columns as readonly PaymentColumn[];
  const { month } = claimed;
  const wanted = { clientId, filters, timeZone };
  const file: PaymentFile = { wanted, columns, style, isLive, month };
  const most = claimed.mostRows;
  const store = new ChunkStore(claimed, ports);
  const made = await database.transaction(
    clientId,
    async (tx) => {
      await allowLongReads(tx);
      const found = await measureExport(tx, file.wanted, most === null ? null : most + 1);
      if (most !== null && found.rows > most) return undefined;
      await beginExport(database, claimed, found.rows);
      const send = (text: string) => store.add(text);
      const onRows = (count: number) => store.countRows(count);
      await writePaymentFile(tx, { ...file, currency: found.currency }, { send, onRows });
      await store.end();
      return found;
    },
    ["transaction_isolation = 'repeatable read'"],
  );
  if (!made) return failExport(database, claimed, 'export_too_large');
  await database.transaction(clientId, async (tx) => {
    await finishExport(tx, claimed, paymentFileName(file, made));
    const after = { ...fileFacts(file), rows: made.rows };
    const change = { action: 'export.made', resourceType: 'export', resourceId: claimed.id };
    await recordChangeFor(tx, claimed.authorId, { ...change, clientId, after }, ports);
  });
}

/** Gathers text until it makes a chunk, and stores it packed and sealed. */
class ChunkStore {
  readonly #claimed: ClaimedExport;
  readonly #ports: ExportPorts;
  #text = '';
  #number = 0;
  #rows = 0;

  constructor(claimed: ClaimedExport, ports: ExportPorts) {
    this.#claimed = claimed;
    this.#ports = ports;
  }

  countRows(count: number): void {
    this.#rows += count;
  }

  async add(text: string): Promise<void> {
    this.#text += text;
    if (this.#text.length >= chunkLength) await this.end();
  }

  /** Stores the rows read so far as a part of the file. Throws LeaseLost. */
  async end(): Promise<void> {
    const { id, clientId } = this.#claimed;
    const text = Buffer.from(this.#text, 'utf8');
    const number = this.#number;
    const sealed = await packChunk({ clientId, id, number }, text, this.#ports.sealed);
    const chunk = { number, sealed, bytes: text.length, rows: this.#rows };
    await addChunk(this.#ports.database, this.#claimed, chunk);
    this.#text = '';
    this.#number += 1;
  }
}
