// What needs action, ordered by deadline.

import type { Overview } from '@svc/contract/dashboard/overview';
import type { ListedPayment } from '@svc/contract/payments/payments';
import type { RefundRequest } from '@svc/contract/payments/refund-requests';
import { msOf } from '@svc/contract/values/instants';
import { addressOf, type Part } from '../../kit/addresses.ts';
import { call } from '../../kit/calls.ts';
import { type Merchant, mayApprove, mayDo } from '../../kit/merchant.ts';
import { money } from '../../kit/money.ts';
import { person } from '../../kit/person.ts';
import { buyerOf } from '../../kit/words.ts';

export type Need = {
  readonly key: string;
  readonly text: string;
  /** Whose money it is: the customer's name where the merchant vouched for the buyer, else the address that paid. */
  readonly who?: string | null;
  readonly href: string;
  /** What is to do there, in a word or three; `Open` when it is absent. */
  readonly act?: string;
  /** The deadline; null when there is none. */
  readonly due: string | null;
};

export type Needs = {
  readonly list: readonly Need[];
  /** How many more there are of a kind, with a link to the list of all. */
  readonly more: readonly { readonly text: string; readonly href: string }[];
};

const notPaid = 'past_due,unpaid';

const sumOf = ({ amount, currency }: { amount: number; currency: string }) =>
  money(amount, currency);

export async function readNeeds(merchant: Merchant): Promise<Needs> {
  const { clientId } = merchant;
  const [overview, toApprove] = await Promise.all([
    call('GET /v1/overview', {}, { clientId }),
    readApprovals(merchant),
  ]);
  const differing = overview.differences.data;
  const buyers = await readBuyers(
    clientId,
    [...toApprove, ...differing].map(({ paymentId }) => paymentId),
  );
  return {
    list: [
      ...refusedKeysOf(overview, clientId),
      ...[...approvalsOf(toApprove, buyers), ...needsOf(overview, clientId, buyers)].sort(
        compareDeadlines,
      ),
    ],
    more: rests.flatMap(([kind, noun, part, query = '']) => {
      const rest = restOf(overview[kind], noun, addressOf(clientId, part) + query);
      return rest ?? [];
    }),
  };
}

/** Of each kind: one and several that are not shown, and where all are listed. */
const rests: readonly (readonly [
  kind: keyof Overview,
  noun: readonly [string, string],
  part: Part,
  query?: string,
])[] = [
  ['refusedKeys', ['account whose key is refused', 'accounts whose keys are refused'], 'provider'],
  ['expiringHolds', ['hold that ends', 'holds that end'], 'holds'],
  ['disputes', ['dispute', 'disputes'], 'disputes', '?awaits=merchant'],
  [
    'fraudWarnings',
    ['payment reported as fraud', 'payments reported as fraud'],
    'payments',
    '?fraudSignal=warning',
  ],
  ['reviews', ['payment under review', 'payments under review'], 'payments', '?fraudSignal=review'],
  ['failedRefunds', ['failed refund', 'failed refunds'], 'payments', '?status=refund_failed'],
  ['unknownPayments', ['payment not known', 'payments not known'], 'payments', '?status=unknown'],
  [
    'pastDueSubscriptions',
    ['declined renewal', 'declined renewals'],
    'subscriptions',
    `?status=${notPaid}`,
  ],
  ['expiringCards', ['card that expires', 'cards that expire'], 'subscriptions'],
  [
    'unfundedSubscriptions',
    ['subscription without a card', 'subscriptions without a card'],
    'subscriptions',
  ],
  [
    'differences',
    ['payment that differs from the provider’s', 'payments that differ from the provider’s'],
    'reports',
  ],
  ['failingEndpoints', ['endpoint that fails', 'endpoints that fail'], 'webhooks'],
  [
    'refusedNotices',
    ['account whose notices are refused', 'accounts whose notices are refused'],
    'provider',
  ],
];

/** Refunds that the person may approve; a person's own requests are for others. */
async function readApprovals(merchant: Merchant): Promise<readonly RefundRequest[]> {
  const { clientId } = merchant;
  if (!mayDo(merchant, 'refunds.approve')) return [];
  // Owners and admins approve whatever the rule says, so it is not read for them.
  if (!mayApprove(merchant, null)) {
    const rule = await call('GET /v1/refund-rule', {}, { clientId });
    if (!mayApprove(merchant, rule)) return [];
  }
  const { data } = await call(
    'GET /v1/refund-requests',
    { 'status[eq]': 'waiting', sortField: 'createdAt', sortDirection: 'ASC', limit: 100 },
    { clientId },
  );
  return data.filter(({ requestedBy }) => requestedBy.userId !== person.value?.id);
}

type Buyers = ReadonlyMap<string, string | null>;

/** Who paid the payments of which only the id is known. Home stands without the names. */
async function readBuyers(clientId: string, ids: readonly string[]): Promise<Buyers> {
  if (ids.length === 0) return new Map();
  const asked = { 'id[in]': ids.join(','), limit: 100 };
  const { data } = await call('GET /v1/payments', asked, { clientId }).catch(() => ({ data: [] }));
  return new Map((data as readonly ListedPayment[]).map((row) => [row.id, buyerOf(row)]));
}

const approvalsOf = (requests: readonly RefundRequest[], buyers: Buyers): Need[] =>
  requests.map((request) => ({
    key: request.id,
    who: buyers.get(request.paymentId) ?? null,
    text: `Approve the refund of ${sumOf(request)}: asked for by ${request.requestedBy.name ?? request.requestedBy.email}`,
    href: addressOf(request.clientId, 'payments', request.paymentId),
    act: 'Approve',
    due: request.expiresAt,
  }));

/** Without a key no buyer can pay, so these come before every deadline. */
const refusedKeysOf = ({ refusedKeys }: Overview, clientId: string): Need[] =>
  refusedKeys.data.map(({ gatewayId, accountId }) => ({
    key: `${gatewayId} key`,
    text: `The card provider refuses the key of ${accountId}, and payments fail: tell the operator of this service`,
    href: addressOf(clientId, 'provider'),
    due: null,
  }));

const suspicionsOf = ({ fraudWarnings, reviews }: Overview, clientId: string): Need[] => [
  ...fraudWarnings.data.map((payment) => ({
    key: `${payment.id} warning`,
    who: buyerOf(payment),
    text: `A bank reports the payment of ${sumOf(payment)} as fraud. ${
      payment.status === 'authorized' ? 'Release the hold' : 'Refund before the dispute'
    }`,
    href: addressOf(clientId, 'payments', payment.id),
    act: payment.status === 'authorized' ? 'Release' : 'Refund',
    due: null,
  })),
  ...reviews.data.map((payment) => ({
    key: `${payment.id} review`,
    who: buyerOf(payment),
    text: `The payment of ${sumOf(payment)} is under review: decide at your card provider before you deliver`,
    href: addressOf(clientId, 'payments', payment.id),
    due: null,
  })),
];

/** Who is a customer of a subscription, or paid what is disputed. */
const customerOf = ({ customerName, customerEmail }: Named): string | null =>
  buyerOf({ email: customerEmail, customerName });
type Named = { readonly customerName: string | null; readonly customerEmail: string | null };

function needsOf(overview: Overview, clientId: string, buyers: Buyers): Need[] {
  const at = (part: Part, id: string) => addressOf(clientId, part, id);
  return [
    ...overview.expiringHolds.data.map((hold) => ({
      key: hold.id,
      who: buyerOf(hold),
      text: `Capture or release the hold of ${sumOf(hold)}`,
      href: at('payments', hold.id),
      act: 'Capture or release',
      due: hold.authorizationExpiresAt,
    })),
    ...overview.disputes.data.map((dispute) => ({
      key: dispute.id,
      who: customerOf(dispute),
      text: `Answer the dispute of ${sumOf(dispute)}`,
      href: at('disputes', dispute.id),
      act: 'Answer',
      due: dispute.evidenceDueBy,
    })),
    ...suspicionsOf(overview, clientId),
    ...overview.failedRefunds.data.map((refund) => ({
      key: refund.id,
      who: buyerOf(refund),
      text: `The refund of ${sumOf(refund)} failed. The buyer did not get the money`,
      href: at('payments', refund.parentPaymentId ?? refund.id),
      act: 'Refund again',
      due: null,
    })),
    ...overview.unknownPayments.data.map((payment) => ({
      key: payment.id,
      who: buyerOf(payment),
      text: `${payment.type === 'refund' ? 'A refund' : 'A payment'} of ${sumOf(payment)} is not known yet`,
      href: at('payments', payment.parentPaymentId ?? payment.id),
      due: null,
    })),
    ...overview.pastDueSubscriptions.data.map((subscription) => ({
      key: subscription.id,
      who: customerOf(subscription),
      text: `The renewal of ${subscription.productCode} was declined`,
      href: at('subscriptions', subscription.id),
      due: subscription.nextRenewalAt,
    })),
    ...overview.expiringCards.data.map((subscription) => ({
      key: `${subscription.id} card`,
      who: customerOf(subscription),
      text: `The card for ${subscription.productCode} expires this month: ask the customer for another`,
      href: at('subscriptions', subscription.id),
      due: subscription.nextRenewalAt,
    })),
    ...overview.unfundedSubscriptions.data.map((subscription) => ({
      key: `${subscription.id} unfunded`,
      who: customerOf(subscription),
      text: `No card pays ${subscription.productCode}: ask the customer to save one`,
      href: at('subscriptions', subscription.id),
      due: subscription.nextRenewalAt,
    })),
    ...differencesOf(overview, clientId, buyers),
    ...overview.failingEndpoints.data.map((endpoint) => ({
      key: endpoint.id,
      text: `Webhooks do not arrive at ${endpoint.url}`,
      href: addressOf(clientId, 'webhooks', endpoint.id),
      due: null,
    })),
    ...overview.refusedNotices.data.map(({ gatewayId, accountId, refused }) => ({
      key: gatewayId,
      text: `The provider’s notices for ${accountId} are refused (${refused} so far), and payments settle late: tell the operator of this service`,
      href: addressOf(clientId, 'provider'),
      due: null,
    })),
  ];
}

const differencesOf = ({ differences }: Overview, clientId: string, buyers: Buyers): Need[] =>
  differences.data.map(({ paymentId, kind, description }) => ({
    key: `${paymentId} ${kind}`,
    who: buyers.get(paymentId) ?? null,
    text: `A payment differs from the provider's: ${description}`,
    href: addressOf(clientId, 'payments', paymentId),
    due: null,
  }));

const deadlineOf = ({ due }: Need) => (due ? msOf(due) : Number.POSITIVE_INFINITY);

const compareDeadlines = (a: Need, b: Need) =>
  deadlineOf(a) < deadlineOf(b) ? -1 : deadlineOf(a) > deadlineOf(b) ? 1 : 0;

function restOf(
  { data, total }: Overview[keyof Overview],
  [one, many]: readonly [string, string],
  href: string,
) {
  const count = total - data.length;
  return count > 0 ? { text: `${count} more ${count === 1 ? one : many}`, href } : null;
}
