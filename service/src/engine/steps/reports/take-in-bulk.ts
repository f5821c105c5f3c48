// What leaves in bulk leaves by one rule: role, recent proof, number of rows, and an entry of the audit log
// that is committed before the first byte. The numbers are the row's own. docs/decisions/reports.md.

import { may } from '@svc/contract/rows/roles';
import type { Bulk, BulkFile, TextFile } from '@svc/contract/rows/row';
import { refuse } from '../../implement.ts';
import type { Ports } from '../../ports.ts';
import { requireRecentProof, type ServerCaller } from '../../require-server.ts';
import { type Change, recordChange } from '../audit-log/record-change.ts';

type BulkRow = { readonly bulk: Bulk };

/** Returns the most rows that the caller may take at once; null: any number. */
export const mostRowsFor = ({ bulk }: BulkRow, { role }: ServerCaller): number | null =>
  may(role, bulk.permission) ? bulk.mostRows : bulk.rows;

/** Refuses export_too_large, recent_sign_in_required. */
function assertMayTake(row: BulkRow, caller: ServerCaller, rows: number): void {
  const most = mostRowsFor(row, caller);
  if (most !== null && rows > most) refuse('export_too_large');
  if (rows > row.bulk.rows) requireRecentProof(caller);
}

/** The records that are asked for, and their entry in the audit log. */
type Taken = {
  readonly caller: ServerCaller;
  readonly rows: number;
  readonly change: Pick<Change, 'resourceType' | 'resourceId' | 'after'>;
  readonly file: TextFile;
};

/**
 * Returns the file for the answer of the row. Its entry is committed before the first row, because a caller
 * who breaks the connection has read rows too. Refuses export_too_large, recent_sign_in_required.
 */
export function takeInBulk(
  row: BulkRow,
  { caller, rows, change, file }: Taken,
  ports: Pick<Ports, 'database' | 'newId'>,
): BulkFile {
  assertMayTake(row, caller, rows);
  return {
    ...file,
    isRecorded: true,
    async write(begin) {
      await ports.database.transaction(caller.clientId, (tx) =>
        recordChange(
          tx,
          caller,
          { ...change, action: row.bulk.action, after: { ...change.after, rows } },
          ports,
        ),
      );
      await file.write(begin);
    },
  };
}
