import { rows } from '@svc/contract';
import type { ListedSubscription } from '@svc/contract/customers/subscriptions';
import { subscriptionFileColumns } from '@svc/contract/reports/list-files';
import { toDecimal } from '../../domain/money/money.ts';
import { type Cell, decimalCell, textCell } from '../../domain/reports/table-file.ts';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import {
  type ListFileSpec,
  localCell,
  takeListFile,
} from '../../engine/steps/reports/take-list-file.ts';
import { showListedSubscription } from '../../engine/steps/subscriptions/show-subscription.ts';
import { subscriptionFile } from '../../storage/subscriptions/subscription-lists.ts';
import type { SubscriptionRow } from '../../storage/subscriptions/subscriptions.ts';

const shown =
  (cell: (subscription: ListedSubscription) => string | null) =>
  (row: SubscriptionRow): Cell =>
    textCell(cell(showListedSubscription(row)));
const local =
  (instant: (subscription: ListedSubscription) => string | null) =>
  (row: SubscriptionRow, timeZone: string): Cell =>
    localCell(instant(showListedSubscription(row)), timeZone);

const spec: ListFileSpec<(typeof subscriptionFileColumns)[number], SubscriptionRow> = {
  name: 'subscriptions',
  file: subscriptionFile,
  columns: subscriptionFileColumns,
  local: ['next_renewal', 'began'],
  cells: {
    product_code: shown(({ productCode }) => productCode),
    quantity: (row) => decimalCell(String(showListedSubscription(row).quantity)),
    status: shown(({ status }) => status),
    customer_name: shown(({ customerName }) => customerName),
    customer_email: shown(({ customerEmail }) => customerEmail || null),
    customer_id: shown(({ userId }) => userId),
    amount: (row) => {
      const { amountMinor, currency } = showListedSubscription(row);
      return decimalCell(toDecimal(amountMinor, currency));
    },
    currency: shown(({ currency }) => currency),
    interval: shown(({ interval }) => interval),
    next_renewal: local(({ nextRenewalAt }) => nextRenewalAt),
    next_renewal_utc: shown(({ nextRenewalAt }) => nextRenewalAt),
    failed_tries: (row) => decimalCell(String(showListedSubscription(row).renewalTries)),
    began: local(({ createdAt }) => createdAt),
    began_utc: shown(({ createdAt }) => createdAt),
    updated_utc: shown(({ updatedAt }) => updatedAt),
    id: shown(({ id }) => id),
  },
};

/** The list of subscriptions as a file. Additions §8. */
export const exportSubscriptions = implement(rows.exportSubscriptions)(
  async (input, caller, ports) => ({
    status: 200,
    file: await takeListFile(rows.exportSubscriptions, spec, input, {
      caller: requireServer(caller),
      ports,
    }),
  }),
);
