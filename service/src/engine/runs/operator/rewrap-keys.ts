// Replaces the key of the configuration: what a former key protects is encrypted with the current
// one. Reliability C6; docs/decisions/database.md.

import {
  clientSecrets,
  readSecrets,
  replaceSecret,
} from '../../../storage/database/client-secrets.ts';
import { everyClient, type Tx } from '../../../storage/database/database.ts';
import { type Renewal, readable } from '../../../storage/database/sealed.ts';
import type { Ports } from '../../ports.ts';
import { recordOperatorChange } from '../../steps/audit-log/record-without-request.ts';

/** How many were found, how many were renewed with the current key, and which no configured key opens. */
type Sums = { found: number; renewed: number; readonly unreadable: string[] };

export type RewrappedAll = {
  /** The data keys, one for each client: they encrypt the secrets of its gateways and endpoints. */
  readonly dataKeys: Sums;
  /** The secrets of people's authenticators, waiting mails, and OAuth flows. */
  readonly ownSecrets: Sums;
  /** False when the run was aborted. */
  readonly isComplete: boolean;
};

type Kind = 'dataKeys' | 'ownSecrets';
type RewrapPorts = Pick<Ports, 'database' | 'sealed' | 'sealedHere' | 'newId'>;

/** Small enough that a batch holds its locks only for milliseconds. */
const batchSize = 100;

/**
 * Renews all keys and secrets while other processes work. Repeatable: after an abort the next run
 * continues.
 */
export async function rewrapKeys(ports: RewrapPorts, signal?: AbortSignal): Promise<RewrappedAll> {
  const emptySums = (): Sums => ({ found: 0, renewed: 0, unreadable: [] });
  const sums = { dataKeys: emptySums(), ownSecrets: emptySums() };
  const all = [
    ['dataKeys', ports.sealed.rewrap(sums.dataKeys.unreadable)],
    ['ownSecrets', resealOwn(ports, sums.ownSecrets.unreadable)],
  ] as const;
  let batch: RewrapTask[] = [];
  const flushBatch = async () => {
    if (batch.length === 0) return;
    const renewed = await ports.database.transaction(everyClient, (tx) => write(tx, batch, ports));
    batch = [];
    for (const kind of ['dataKeys', 'ownSecrets'] as const) sums[kind].renewed += renewed[kind];
  };
  for (const [kind, renewals] of all) {
    for await (const renew of renewals) {
      if (signal?.aborted) return { ...sums, isComplete: false };
      sums[kind].found += 1;
      if (renew) batch.push({ kind, renew });
      if (batch.length === batchSize) await flushBatch();
    }
  }
  await flushBatch();
  return { ...sums, isComplete: true };
}

type RewrapTask = { readonly kind: Kind; readonly renew: NonNullable<Renewal> };

/** Writes a batch and its audit entry in one transaction, so that neither exists without the other. */
async function write(tx: Tx, batch: readonly RewrapTask[], ports: RewrapPorts) {
  const after = { dataKeys: 0, ownSecrets: 0 };
  for (const { kind, renew } of batch) if (await renew(tx)) after[kind] += 1;
  if (after.dataKeys + after.ownSecrets > 0) {
    const change = { action: 'service_key.replaced', resourceType: 'service_key', after };
    await recordOperatorChange(tx, { ...change, resourceId: 'SVC_KEY' }, ports);
  }
  return after;
}

async function* resealOwn(
  { database, sealedHere }: RewrapPorts,
  unreadable: string[],
): AsyncGenerator<Renewal> {
  for (const column of clientSecrets) {
    for await (const row of readSecrets(database, column)) {
      const place = { table: column.table, rowId: row.id, field: column.field };
      const anew = readable(() => sealedHere.reseal(place, row.sealed), unreadable);
      yield anew ? (tx) => replaceSecret(tx, column, row, anew) : null;
    }
  }
}
