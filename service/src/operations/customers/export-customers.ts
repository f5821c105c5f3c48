import { rows } from '@svc/contract';
import { customerFileColumns } from '@svc/contract/reports/list-files';
import { textCell } from '../../domain/reports/table-file.ts';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import {
  type ListFileSpec,
  localCell,
  takeListFile,
} from '../../engine/steps/reports/take-list-file.ts';
import { customerFile } from '../../storage/customers/customer-lists.ts';
import type { CustomerRow } from '../../storage/customers/customers.ts';

const spec: ListFileSpec<(typeof customerFileColumns)[number], CustomerRow, CustomerRow> = {
  name: 'customers',
  file: customerFile,
  columns: customerFileColumns,
  local: ['since'],
  show: (row) => row,
  cells: {
    email: (row) => textCell(row.email || null),
    name: (row) => textCell(row.name),
    country: (row) => textCell(row.country),
    since: (row, timeZone) => localCell(row.created_at.toISOString(), timeZone),
    since_utc: (row) => textCell(row.created_at.toISOString()),
    updated_utc: (row) => textCell(row.updated_at.toISOString()),
    external_id: (row) => textCell(row.external_id),
    id: (row) => textCell(row.id),
  },
};

/** The list of customers as a file. Additions §8. */
export const exportCustomers = implement(rows.exportCustomers)(async (input, caller, ports) => ({
  status: 200,
  file: await takeListFile(rows.exportCustomers, spec, input, {
    caller: requireServer(caller),
    ports,
  }),
}));
