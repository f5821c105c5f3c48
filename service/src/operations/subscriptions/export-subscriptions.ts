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
import { showListedSubscription } from '../../engine/steps/subscriptions/show-listed-subscription.ts';
import { subscriptionFile } from '../../storage/subscriptions/subscription-lists.ts';
import type { SubscriptionRow } from '../../storage/subscriptions/subscriptions.ts';

const shown =
  (cell: (subscription: ListedSubscription) => string | null) =>
  (subscription: ListedSubscription): Cell =>
    textCell(cell(subscription));
const local =
  (instant: (subscription: ListedSubscription) => string | null) =>
  (subscription: ListedSubscription, timeZone: string): Cell =>
    localCell(instant(subscription), timeZone);

const spec: ListFileSpec<
  (typeof subscriptionFileColumns)[number],
  SubscriptionRow,
  ListedSubscription
> = {
  name: 'subscriptions',
  file: subscriptionFile,
  columns: subscriptionFileColumns,
  local: ['next_renewal', 'began'],
  show: showListedSubscription,
  cells: {
    product_code: shown(({ productCode }) => productCode),
    quantity: ({ quantity }) => decimalCell(String(quantity)),
    status: shown(({ status }) => status),
    customer_name: shown(({ customerName }) => customerName),
    customer_email: shown(({ customerEmail }) => customerEmail || null),
    customer_id: shown(({ userId }) => userId),
    amount: ({ amountMinor, currency }) => decimalCell(toDecimal(amountMinor, currency)),
    currency: shown(({ currency }) => currency),
    interval: shown(({ interval }) => interval),
    next_renewal: local(({ nextRenewalAt }) => nextRenewalAt),
    next_renewal_utc: shown(({ nextRenewalAt }) => nextRenewalAt),
    failed_tries: ({ renewalTries }) => decimalCell(String(renewalTries)),
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
