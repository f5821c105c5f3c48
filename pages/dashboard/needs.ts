// What needs somebody: read from the merchant's lists, ordered by deadline.

import type { Dispute } from '@svc/contract/disputes';
import type { Payment } from '@svc/contract/payments';
import type { Subscription } from '@svc/contract/subscriptions';
import type { WebhookEndpoint } from '@svc/contract/webhook-endpoints';
import { call } from '../account/calls.ts';
import type { Listed } from '../account/merchant-calls.ts';
import { addressOf, type Part } from './addresses.ts';
import { money } from './money.ts';

export type Need = {
  readonly key: string;
  readonly text: string;
  readonly href: string;
  /** Until when; null where nothing ends. */
  readonly due: string | null;
  /** From which instant it needs somebody; null: already. */
  readonly sinceMs: number | null;
};

export type Needs = {
  readonly list: readonly Need[];
  /** How many more there are of a kind, with the list that has them all. */
  readonly more: readonly { readonly text: string; readonly href: string }[];
};

const soonMs = 48 * 3_600_000;
/** Of each kind, the first ones by name. */
const most = 20;

const toAnswer = 'needs_response,warning_needs_response,appeal_needs_response';
const notPaid = 'past_due,unpaid';

const sumOf = ({ amount, currency }: { amount: number; currency: string }) =>
  money(amount, currency);

/** The lists that a need may come from, each with its first rows. */
async function readLists(clientId: string) {
  const list = <T>(path: string) =>
    call<Listed<T>>('GET', `${path}${path.includes('?') ? '&' : '?'}limit=${most}`, { clientId });
  const first = (field: string) => `sortField=${field}&sortDirection=ASC`;
  const [holds, disputes, failed, unknown, pastDue, endpoints] = await Promise.all([
    list<Payment>(`/v1/payments?status[eq]=authorized&${first('authorizationExpiresAt')}`),
    list<Dispute>(`/v1/disputes?status[in]=${toAnswer}&${first('evidenceDueBy')}`),
    list<Payment>('/v1/payments?type[eq]=refund&status[eq]=refund_failed'),
    list<Payment>('/v1/payments?status[eq]=unknown'),
    list<Subscription>(`/v1/subscriptions?status[in]=${notPaid}&${first('nextRenewalAt')}`),
    list<WebhookEndpoint>('/v1/webhook-endpoints'),
  ]);
  return { holds, disputes, failed, unknown, pastDue, endpoints };
}

type Lists = Awaited<ReturnType<typeof readLists>>;

export async function readNeeds(clientId: string): Promise<Needs> {
  const lists = await readLists(clientId);
  const at = (part: Part) => addressOf(clientId, part);
  const { disputes, failed, unknown, pastDue } = lists;
  return {
    list: needsOf(lists, clientId).sort(byDeadline),
    more: [
      rest(disputes, ['dispute', 'disputes'], `${at('disputes')}?status=${toAnswer}`),
      rest(failed, ['failed refund', 'failed refunds'], `${at('payments')}?status=refund_failed`),
      rest(
        unknown,
        ['payment not known', 'payments not known'],
        `${at('payments')}?status=unknown`,
      ),
      rest(
        pastDue,
        ['declined renewal', 'declined renewals'],
        `${at('subscriptions')}?status=${notPaid}`,
      ),
    ].flatMap((each) => each ?? []),
  };
}

function needsOf(lists: Lists, clientId: string): Need[] {
  const at = (part: Part, id: string) => addressOf(clientId, part, id);
  return [
    ...lists.holds.data.map((hold) => ({
      key: hold.id,
      text: `Capture or release the hold of ${sumOf(hold)}`,
      href: at('payments', hold.id),
      due: hold.authorizationExpiresAt,
      sinceMs: endOf(hold) - soonMs,
    })),
    ...lists.disputes.data.map((dispute) => ({
      key: dispute.id,
      text: `Answer the dispute of ${sumOf(dispute)}`,
      href: at('disputes', dispute.id),
      due: dispute.evidenceDueBy,
      sinceMs: null,
    })),
    ...lists.failed.data.map((refund) => ({
      key: refund.id,
      text: `The refund of ${sumOf(refund)} failed: the buyer has not been paid`,
      href: at('payments', refund.parentPaymentId ?? refund.id),
      due: null,
      sinceMs: null,
    })),
    ...lists.unknown.data.map((payment) => ({
      key: payment.id,
      text: `${payment.type === 'refund' ? 'A refund' : 'A payment'} of ${sumOf(payment)} is not known yet`,
      href: at('payments', payment.parentPaymentId ?? payment.id),
      due: null,
      sinceMs: null,
    })),
    ...lists.pastDue.data.map((subscription) => ({
      key: subscription.id,
      text: `The renewal of ${subscription.productCode} was declined`,
      href: at('subscriptions', subscription.id),
      due: subscription.nextRenewalAt,
      sinceMs: null,
    })),
    ...lists.endpoints.data.filter(isTroubled).map((endpoint) => ({
      key: endpoint.id,
      text: `Webhooks do not arrive at ${endpoint.url}`,
      href: `/account/merchants/${clientId}/webhooks/${endpoint.id}`,
      due: null,
      sinceMs: null,
    })),
  ];
}

const endOf = ({ authorizationExpiresAt: at }: Payment) =>
  at === null ? Number.POSITIVE_INFINITY : new Date(at).getTime();

const isTroubled = ({ failingSince, disabledReason }: WebhookEndpoint) =>
  failingSince !== null || disabledReason === 'gone' || disabledReason === 'failing';

const whenOf = ({ due }: Need) => (due ? new Date(due).getTime() : Number.POSITIVE_INFINITY);

const byDeadline = (a: Need, b: Need) =>
  whenOf(a) < whenOf(b) ? -1 : whenOf(a) > whenOf(b) ? 1 : 0;

function rest(
  { data, total }: Listed<unknown>,
  [one, many]: readonly [string, string],
  href: string,
) {
  const count = total - data.length;
  return count > 0 ? { text: `${count} more ${count === 1 ? one : many}`, href } : null;
}
