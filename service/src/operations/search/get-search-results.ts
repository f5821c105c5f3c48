import { rows } from '@svc/contract';
import type { SearchResults } from '@svc/contract/dashboard/search';
import { containsCardNumber } from '@svc/contract/vault/card-number';
import {
  type Meaning,
  meaningsOf,
  productWords,
  queryOf,
  type SearchedResource,
} from '../../domain/search/search-meanings.ts';
import { implement } from '../../engine/implement.ts';
import type { Ports } from '../../engine/ports.ts';
import {
  mayRead,
  mayReadNames,
  requireServer,
  type ServerCaller,
} from '../../engine/require-server.ts';
import { showCustomer } from '../../engine/steps/customers/show-customer.ts';
import { showListedDispute } from '../../engine/steps/disputes/show-dispute.ts';
import { showListedPayment } from '../../engine/steps/payments/show-listed-payment.ts';
import { readReportZone } from '../../engine/steps/reports/report-zone.ts';
import { showListedSubscription } from '../../engine/steps/subscriptions/show-listed-subscription.ts';
import { findProductsCalled } from '../../storage/catalog/products.ts';
import { listCustomerRows } from '../../storage/customers/customer-lists.ts';
import { toCustomer } from '../../storage/customers/customers.ts';
import { readAskingTime } from '../../storage/database/clock.ts';
import type { ListQuery } from '../../storage/database/lists.ts';
import { listDisputeRows } from '../../storage/payments/dispute-lists.ts';
import { listPaymentRows } from '../../storage/payments/payment-lists.ts';
import { listSubscriptionRows } from '../../storage/subscriptions/subscription-lists.ts';

/**
 * Searches for every meaning of the text, and returns each meaning with its exact total. Meanings
 * for which the token lacks the scope are left out. Additions §2. Refuses raw_card_data_forbidden,
 * invalid_query.
 */
export const getSearchResults = implement(rows.getSearchResults)(
  async (input, caller, ports, refuse) => {
    const server = requireServer(caller);
    const query = input.q.trim();
    if (containsCardNumber(query)) {
      return refuse('raw_card_data_forbidden', {
        param: 'q',
        message: 'That is a full card number. Search by the last four digits.',
      });
    }
    if (query === '') {
      return refuse('invalid_query', { param: 'q', message: 'Send the search text in q.' });
    }
    const { database } = ports;
    const [{ timeZone: zone }, now] = await Promise.all([
      readReportZone(database, server.clientId, undefined),
      readAskingTime(database),
    ]);
    const clock = { zone, now: now.getTime() };
    const called = productWords(query, clock);
    const products = called ? await findProductsCalled(database, server.clientId, called) : [];
    const meanings = meaningsOf(query, clock, products).filter((meaning) =>
      mayFind(server, meaning),
    );
    const found = await Promise.all(
      meanings.map(async (meaning) => ({
        meaning,
        page: await readers[meaning.of](ports, server, listQueryOf(meaning, input.limit)),
      })),
    );
    const resultsOf = (sought: SearchedResource) =>
      found
        .filter(({ meaning, page }) => meaning.of === sought && page.total > 0)
        .map(({ meaning, page }) => ({
          by: meaning.by,
          words: meaning.words,
          filter: queryOf(meaning.filters),
          ...page,
        }));
    const body = {
      query,
      understood: [...new Set(meanings.map(({ words }) => words))],
      payments: resultsOf('payments'),
      customers: resultsOf('customers'),
      disputes: resultsOf('disputes'),
      subscriptions: resultsOf('subscriptions'),
    } as SearchResults;
    return { status: 200, body };
  },
);

const scopes = {
  payments: 'payments:read',
  customers: 'customers:read',
  disputes: 'disputes:read',
  subscriptions: 'payments:read',
} as const;

/** Payments found by a name would tell it, so they take the scope for customers too. */
const mayFind = (server: ServerCaller, { of, filters }: Meaning): boolean =>
  mayRead(server, scopes[of]) &&
  (mayReadNames(server) || !filters.some(({ field }) => field === 'name'));

const listQueryOf = ({ filters }: Meaning, limit: number): ListQuery => ({
  page: 1,
  limit,
  sortField: 'createdAt',
  sortDirection: 'DESC',
  filters: [...filters],
});

type FoundObjects = { readonly total: number; readonly data: readonly object[] };
type SearchReader = (ports: Ports, reader: ServerCaller, query: ListQuery) => Promise<FoundObjects>;

const readers: Readonly<Record<SearchedResource, SearchReader>> = {
  payments: async ({ database }, reader, query) => {
    const { rows: found, total } = await listPaymentRows(database, reader.clientId, query);
    return { total, data: found.map((row) => showListedPayment(row, reader)) };
  },
  customers: async ({ database }, reader, query) => {
    const { rows: found, total } = await listCustomerRows(database, reader.clientId, query);
    return { total, data: found.map((row) => showCustomer(toCustomer(row))) };
  },
  disputes: async ({ database }, reader, query) => {
    const { rows: found, total } = await listDisputeRows(database, reader.clientId, query);
    return { total, data: found.map((row) => showListedDispute(row, reader)) };
  },
  subscriptions: async ({ database }, reader, query) => {
    const { rows: found, total } = await listSubscriptionRows(database, reader.clientId, query);
    return { total, data: found.map((row) => showListedSubscription(row, reader)) };
  },
};
