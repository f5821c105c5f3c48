import { rows } from '@svc/contract';
import { disputeFileColumns } from '@svc/contract/reports/list-files';
import { toDecimal } from '../../domain/money/money.ts';
import { type Cell, decimalCell, textCell } from '../../domain/reports/table-file.ts';
import { implement } from '../../engine/implement.ts';
import { requireServer, type ServerCaller } from '../../engine/require-server.ts';
import { showListedDispute } from '../../engine/steps/disputes/show-dispute.ts';
import {
  type ListFileSpec,
  localCell,
  takeListFile,
} from '../../engine/steps/reports/take-list-file.ts';
import { disputeFile } from '../../storage/payments/dispute-lists.ts';
import { type DisputeRow, toDispute } from '../../storage/payments/disputes.ts';

const show = (row: DisputeRow, reader: ServerCaller) => {
  const { amountMinor, withdrawnMinor } = toDispute(row);
  return { ...showListedDispute(row, reader), amountMinor, withdrawnMinor };
};
type Shown = ReturnType<typeof show>;

const shown =
  (cell: (dispute: Shown) => string | null) =>
  (dispute: Shown): Cell =>
    textCell(cell(dispute));
const local =
  (instant: (dispute: Shown) => string | null) =>
  (dispute: Shown, timeZone: string): Cell =>
    localCell(instant(dispute), timeZone);

const spec: ListFileSpec<(typeof disputeFileColumns)[number], DisputeRow, Shown> = {
  name: 'disputes',
  file: disputeFile,
  columns: disputeFileColumns,
  local: ['due', 'opened'],
  show,
  cells: {
    amount: ({ amountMinor, currency }) => decimalCell(toDecimal(amountMinor, currency)),
    withdrawn: ({ withdrawnMinor, currency }) => decimalCell(toDecimal(withdrawnMinor, currency)),
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

/** The list of disputes as a file. Additions §8. */
export const exportDisputes = implement(rows.exportDisputes)(async (input, caller, ports) => ({
  status: 200,
  file: await takeListFile(rows.exportDisputes, spec, input, {
    caller: requireServer(caller),
    ports,
  }),
}));
