import { rows } from '@svc/contract';
import type { ListedDispute } from '@svc/contract/payments/disputes';
import { disputeFileColumns } from '@svc/contract/reports/list-files';
import { toDecimal } from '../../domain/money/money.ts';
import { type Cell, decimalCell, textCell } from '../../domain/reports/table-file.ts';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showListedDispute } from '../../engine/steps/disputes/show-dispute.ts';
import {
  type ListFileSpec,
  localCell,
  takeListFile,
} from '../../engine/steps/reports/take-list-file.ts';
import { disputeFile } from '../../storage/payments/dispute-lists.ts';
import { type DisputeRow, toDispute } from '../../storage/payments/disputes.ts';

const shown =
  (cell: (dispute: ListedDispute) => string | null) =>
  (row: DisputeRow): Cell =>
    textCell(cell(showListedDispute(row)));
const local =
  (instant: (dispute: ListedDispute) => string | null) =>
  (row: DisputeRow, timeZone: string): Cell =>
    localCell(instant(showListedDispute(row)), timeZone);

const spec: ListFileSpec<(typeof disputeFileColumns)[number], DisputeRow> = {
  name: 'disputes',
  file: disputeFile,
  columns: disputeFileColumns,
  local: ['due', 'opened'],
  cells: {
    amount: (row) => sum(row, 'amountMinor'),
    withdrawn: (row) => sum(row, 'withdrawnMinor'),
    currency: shown(({ currency }) => currency),
    due: local(({ evidenceDueBy }) => evidenceDueBy),
    due_utc: shown(({ evidenceDueBy }) => evidenceDueBy),
    status: shown(({ status }) => status),
    reason: shown(({ reason }) => reason),
    customer_name: shown(({ customerName }) => customerName),
    customer_email: shown(({ customerEmail }) => customerEmail),
    customer_id: shown(({ customerId }) => customerId),
    opened: local(({ openedAt }) => openedAt),
    opened_utc: shown(({ openedAt }) => openedAt),
    received_utc: shown(({ createdAt }) => createdAt),
    updated_utc: shown(({ updatedAt }) => updatedAt),
    closed_utc: shown(({ closedAt }) => closedAt),
    provider_dispute_id: shown(({ providerDisputeId }) => providerDisputeId),
    payment_id: shown(({ paymentId }) => paymentId),
    id: shown(({ id }) => id),
  },
};

function sum(row: DisputeRow, of: 'amountMinor' | 'withdrawnMinor'): Cell {
  const dispute = toDispute(row);
  return decimalCell(toDecimal(dispute[of], dispute.currency));
}

/** The list of disputes as a file. Additions §8. */
export const exportDisputes = implement(rows.exportDisputes)(async (input, caller, ports) => ({
  status: 200,
  file: await takeListFile(rows.exportDisputes, spec, input, {
    caller: requireServer(caller),
    ports,
  }),
}));
