// What needs action, ordered by deadline.

import type { Overview } from '@svc/contract/overview';
import { call } from '../account/calls.ts';
import { addressOf, type Part } from './addresses.ts';
import { money } from './money.ts';

export type Need = {
  readonly key: string;
  readonly text: string;
  readonly href: string;
  /** The deadline; null when there is none. */
  readonly due: string | null;
};

export type Needs = {
  readonly list: readonly Need[];
  /** How many more there are of a kind, with a link to the list of all. */
  readonly more: readonly { readonly text: string; readonly href: string }[];
};

const toAnswer = 'needs_response,warning_needs_response,appeal_needs_response';
const notPaid = 'past_due,unpaid';

const sumOf = ({ amount, currency }: { amount: number; currency: string }) =>
  money(amount, currency);

export async function readNeeds(clientId: string): Promise<Needs> {
  const overview = await call<Overview>('GET', '/v1/overview', { clientId });
  const at = (part: Part) => addressOf(clientId, part);
  return {
    list: needsOf(overview, clientId).sort(byDeadline),
    more: [
      rest(overview.expiringHolds, ['hold that ends', 'holds that end'], at('holds')),
      rest(overview.disputes, ['dispute', 'disputes'], `${at('disputes')}?status=${toAnswer}`),
      rest(
        overview.failedRefunds,
        ['failed refund', 'failed refunds'],
        `${at('payments')}?status=refund_failed`,
      ),
      rest(
        overview.unknownPayments,
        ['payment not known', 'payments not known'],
        `${at('payments')}?status=unknown`,
      ),
      rest(
        overview.pastDueSubscriptions,
        ['declined renewal', 'declined renewals'],
        `${at('subscriptions')}?status=${notPaid}`,
      ),
      rest(
        overview.failingEndpoints,
        ['endpoint that fails', 'endpoints that fail'],
        `/account/merchants/${clientId}/webhooks`,
      ),
    ].flatMap((each) => each ?? []),
  };
}

function needsOf(overview: Overview, clientId: string): Need[] {
  const at = (part: Part, id: string) => addressOf(clientId, part, id);
  return [
    ...overview.expiringHolds.data.map((hold) => ({
      key: hold.id,
      text: `Capture or release the hold of ${sumOf(hold)}`,
      href: at('payments', hold.id),
      due: hold.authorizationExpiresAt,
    })),
    ...overview.disputes.data.map((dispute) => ({
      key: dispute.id,
      text: `Answer the dispute of ${sumOf(dispute)}`,
      href: at('disputes', dispute.id),
      due: dispute.evidenceDueBy,
    })),
    ...overview.failedRefunds.data.map((refund) => ({
      key: refund.id,
      text: `The refund of ${sumOf(refund)} failed: the buyer has not been paid`,
      href: at('payments', refund.parentPaymentId ?? refund.id),
      due: null,
    })),
    ...overview.unknownPayments.data.map((payment) => ({
      key: payment.id,
      text: `${payment.type === 'refund' ? 'A refund' : 'A payment'} of ${sumOf(payment)} is not known yet`,
      href: at('payments', payment.parentPaymentId ?? payment.id),
      due: null,
    })),
    ...overview.pastDueSubscriptions.data.map((subscription) => ({
      key: subscription.id,
      text: `The renewal of ${subscription.productCode} was declined`,
      href: at('subscriptions', subscription.id),
      due: subscription.nextRenewalAt,
    })),
    ...overview.failingEndpoints.data.map((endpoint) => ({
      key: endpoint.id,
      text: `Webhooks do not arrive at ${endpoint.url}`,
      href: `/account/merchants/${clientId}/webhooks/${endpoint.id}`,
      due: null,
    })),
  ];
}

const whenOf = ({ due }: Need) => (due ? new Date(due).getTime() : Number.POSITIVE_INFINITY);

const byDeadline = (a: Need, b: Need) =>
  whenOf(a) < whenOf(b) ? -1 : whenOf(a) > whenOf(b) ? 1 : 0;

function rest(
  { data, total }: Overview[keyof Overview],
  [one, many]: readonly [string, string],
  href: string,
) {
  const count = total - data.length;
  return count > 0 ? { text: `${count} more ${count === 1 ? one : many}`, href } : null;
}
