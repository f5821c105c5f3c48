import { rows } from '@svc/contract';
import { may } from '@svc/contract/rows/roles';
import type { Filter } from '@svc/contract/rows/row';
import { implement } from '../../engine/implement.ts';
import { mayRead, requireServer, type ServerCaller } from '../../engine/require-server.ts';
import { showListedDispute } from '../../engine/steps/disputes/show-dispute.ts';
import { showListedPayment } from '../../engine/steps/payments/show-listed-payment.ts';
import { showReconciliation } from '../../engine/steps/reports/show-reconciliation.ts';
import { showListedSubscription } from '../../engine/steps/subscriptions/show-listed-subscription.ts';
import { showWebhookEndpoint } from '../../engine/steps/webhook-endpoints/show-webhook-endpoint.ts';
import { readAskingTime } from '../../storage/database/clock.ts';
import type { Database } from '../../storage/database/database.ts';
import type { List, ListQuery } from '../../storage/database/lists.ts';
import { listAccounts } from '../../storage/gateways/provider-accounts.ts';
import { listRefusingGateways } from '../../storage/gateways/refused-notices.ts';
import { listDisputeRows } from '../../storage/payments/dispute-lists.ts';
import { listPaymentRows } from '../../storage/payments/payment-lists.ts';
import { listReconciliationRows } from '../../storage/reports/reconciliations.ts';
import {
  cardExpiresBy,
  hasNoCard,
  listSubscriptionRows,
} from '../../storage/subscriptions/subscription-lists.ts';
import { listEndpointRows, toWebhookEndpoint } from '../../storage/webhooks/webhook-endpoints.ts';

const shown = 5;
const soonMs = 48 * 3_600_000;

/**
 * Lists what needs a person's attention, each kind with its exact number. A kind for which the
 * token lacks the scope, or the role the permission, is empty. Additions §2. Refuses invalid_query.
 */
export const getOverview = implement(rows.getOverview)(async (_, caller, { database }) => {
  const server = requireServer(caller);
  const { clientId } = server;
  const payments = (...filters: Filter[]) => readPayments(database, server, filters);
  const now = await readAskingTime(database);
  const soon = new Date(now.getTime() + soonMs).toISOString();
  const [
    holds,
    disputes,
    fraudWarnings,
    reviews,
    failedRefunds,
    unknownPayments,
    subscriptions,
    cards,
    unfunded,
    differences,
    endpoints,
  ] = await Promise.all([
    payments(filterBy('status', 'authorized'), {
      ...filterBy('authorizationExpiresAt', soon),
      op: 'lt',
    }),
    mayRead(server, 'disputes:read') ? readDisputes(database, server) : none,
    payments(filterBy('fraudSignal', 'warning')),
    payments(filterBy('fraudSignal', 'review')),
    payments(filterBy('type', 'refund'), filterBy('status', 'refund_failed')),
    payments(filterBy('status', 'unknown')),
    readSubscriptions(database, server, { filters: [filterBy('status', 'past_due', 'unpaid')] }),
    readSubscriptions(database, server, { within: [cardExpiresBy(now)] }),
    readSubscriptions(database, server, { within: [hasNoCard] }),
    readDifferences(database, clientId),
    mayRead(server, 'webhooks:read') && may(server.role, 'developers.use')
      ? readEndpoints(database, clientId)
      : none,
  ]);
  const body = {
    refusedKeys: await readRefusedKeys(database, clientId),
    expiringHolds: holds,
    disputes,
    fraudWarnings,
    reviews,
    failedRefunds,
    unknownPayments,
    pastDueSubscriptions: subscriptions,
    expiringCards: cards,
    unfundedSubscriptions: unfunded,
    differences,
    failingEndpoints: endpoints,
    refusedNotices: await readRefusedNotices(database, clientId),
  };
  return { status: 200, body };
});

const none = { total: 0, data: [] };

const filterBy = (field: string, ...values: string[]): Filter => ({
  field,
  op: values.length === 1 ? 'eq' : 'in',
  values,
});

const firstPageQuery = (
  sortField: string,
  filters: Filter[],
  given: Partial<ListQuery> = {},
): ListQuery => ({
  page: 1,
  limit: shown,
  sortField,
  sortDirection: 'ASC',
  filters,
  ...given,
});

async function readShown<Row, Shown>(
  found: ReturnType<List<Row>>,
  show: (row: Row) => Shown,
): Promise<{ total: number; data: Shown[] }> {
  const { rows: some, total } = await found;
  return { total, data: some.map(show) };
}

function readPayments(database: Database, reader: ServerCaller, filters: Filter[]) {
  const isOfHolds = filters.some(({ field }) => field === 'authorizationExpiresAt');
  const query = isOfHolds
    ? firstPageQuery('authorizationExpiresAt', filters)
    : firstPageQuery('createdAt', filters, { sortDirection: 'DESC' });
  const found = listPaymentRows(database, reader.clientId, query);
  return readShown(found, (row) => showListedPayment(row, reader));
}

function readDisputes(database: Database, reader: ServerCaller) {
  const query = firstPageQuery('evidenceDueBy', [filterBy('awaits', 'merchant')]);
  const found = listDisputeRows(database, reader.clientId, query);
  return readShown(found, (row) => showListedDispute(row, reader));
}

async function readDifferences(database: Database, clientId: string) {
  const [last] = await listReconciliationRows(database, clientId, 1);
  const open = last ? showReconciliation(last).differences.filter((each) => !each.isSettled) : [];
  return { total: last?.open ?? 0, data: open.slice(0, shown) };
}

function readSubscriptions(database: Database, reader: ServerCaller, given: Partial<ListQuery>) {
  const query = firstPageQuery('nextRenewalAt', [], given);
  const found = listSubscriptionRows(database, reader.clientId, query);
  return readShown(found, (row) => showListedSubscription(row, reader));
}

async function readRefusedKeys(database: Database, clientId: string) {
  const data = (await listAccounts(database, clientId)).flatMap((account) =>
    account.is_active && account.key_refused_at
      ? {
          gatewayId: account.id,
          provider: account.provider,
          accountId: account.account_id,
          refusedAt: account.key_refused_at.toISOString(),
        }
      : [],
  );
  return { total: data.length, data: data.slice(0, shown) };
}

async function readRefusedNotices(database: Database, clientId: string) {
  const data = (await listRefusingGateways(database, clientId)).map(
    ({ id: gatewayId, provider, accountId, refused, since }) => ({
      ...{ gatewayId, provider, accountId, refused },
      since: since.toISOString(),
    }),
  );
  return { total: data.length, data: data.slice(0, shown) };
}

/** A merchant has few endpoints, so the failing ones are selected here and not in SQL. */
async function readEndpoints(database: Database, clientId: string) {
  const query = firstPageQuery('createdAt', [], { limit: 100 });
  const { data } = await readShown(listEndpointRows(database, clientId, query), (row) =>
    showWebhookEndpoint(toWebhookEndpoint(row)),
  );
  const troubled = data.filter(
    ({ failingSince, disabledReason }) =>
      failingSince !== null || disabledReason === 'gone' || disabledReason === 'failing',
  );
  return { total: troubled.length, data: troubled.slice(0, shown) };
}
