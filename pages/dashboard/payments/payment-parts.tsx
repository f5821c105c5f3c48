// The parts of a payment's page: facts, refunds, disputes, timeline, and details for developers.

import type { Payment, PaymentDetails } from '@svc/contract/payments/payments';
import { useMemo } from 'preact/hooks';
import { addressOf, eventAddress } from '../../kit/addresses.ts';
import { useMerchant } from '../../kit/merchant.ts';
import { money, movedMoney } from '../../kit/money.ts';
import { ActionButton } from '../../kit/parts/action-button.tsx';
import { InstantText, Tag } from '../../kit/parts/bits.tsx';
import { CodeLine } from '../../kit/parts/code-line.tsx';
import { Block, CopiedText, type Fact, Pairs } from '../../kit/parts/facts.tsx';
import { TroubleAt } from '../../kit/parts/section-box.tsx';
import { Section } from '../../kit/section.ts';
import { cardWords, disputeWords, failedLater, statusWords, type Words } from '../../kit/words.ts';
import { type Entries, type FullPayment, readEntries } from './full-payment.ts';
import { isDisputed, plainWords } from './payment-words.ts';
import { reasonNames } from './refund-fields.tsx';
import { describeEntries } from './timeline.ts';

/** Returns the name of a person or a program: `Ada Lovelace`, `the token “shop”`. */
function askerWords(asker: PaymentDetails['requestedBy']): string | null {
  if (!asker) return null;
  const person = asker.name ?? asker.email;
  const program = asker.applicationName ?? (asker.tokenName && `the token “${asker.tokenName}”`);
  return [person, program && (person ? `by ${program}` : program)].filter(Boolean).join(' ');
}

export function Facts({ whole }: { whole: FullPayment }) {
  return (
    <Block title="Facts">
      <div class="fact-columns">
        <Pairs facts={purchaseFacts(whole, useMerchant().clientId)} />
        <Pairs facts={moneyFacts(whole)} />
      </div>
    </Block>
  );
}

/** Who bought what, and under which names it is known elsewhere. */
function purchaseFacts({ payment, details }: FullPayment, clientId: string): (Fact | null)[] {
  const metadata = Object.entries(payment.metadata);
  const customer = payment.userId ? (
    <a href={addressOf(clientId, 'customers', payment.userId)}>
      {details.customerName ?? payment.email ?? payment.userId}
    </a>
  ) : (
    (payment.email ?? 'No address')
  );
  const bought = details.items.map(({ name, quantity }) => `${quantity} × ${name}`).join(', ');
  return [
    ['Customer', customer],
    details.customerName && payment.email ? ['Email', payment.email] : null,
    ['Reference', <CopiedText key="reference" text={details.reference} about="the reference" />],
    ['Paid with', cardWords(payment.paymentMethod)],
    bought ? ['Bought', bought] : null,
    details.couponCodes.length > 0 ? ['Coupons', details.couponCodes.join(', ')] : null,
    details.subscriptionId
      ? [
          'Subscription',
          <a key="to" href={addressOf(clientId, 'subscriptions', details.subscriptionId)}>
            Open the subscription
          </a>,
        ]
      : null,
    payment.sessionId
      ? [
          'Session',
          <a key="to" href={addressOf(clientId, 'sessions', payment.sessionId)}>
            Open the checkout session
          </a>,
        ]
      : null,
    ...metadata.map(([name, value]): Fact => [name, value]),
  ];
}

/** What the money did, and when. */
function moneyFacts(whole: FullPayment): (Fact | null)[] {
  const { payment, details } = whole;
  const sum = (amount: number) => money(amount, payment.currency);
  const time = (name: string, at: string | null): Fact | null =>
    at ? [name, <InstantText key="at" at={at} />] : null;
  return [
    ['Amount', sum(payment.amount)],
    ...feeAndNetFacts(details.balance),
    payment.amountRefunded > 0 ? ['Refunded', sum(payment.amountRefunded)] : null,
    payment.amountRefundable > 0
      ? ['Refundable', isDisputed(whole) ? 'Nothing while disputed' : sum(payment.amountRefundable)]
      : null,
    time('Created', payment.createdAt),
    time('Captured', payment.capturedAt),
    time('Money moved', payment.financialEffectiveAt),
    time('Released', payment.voidedAt),
    ['Payment id', <CopiedText key="id" text={payment.id} about="the payment id" />],
    payment.gatewayChargeId
      ? ['Charge id', <CopiedText key="id" text={payment.gatewayChargeId} about="the charge id" />]
      : null,
  ];
}

/** The provider's fee and the net amount; empty until the provider has booked them. */
function feeAndNetFacts(balance: PaymentDetails['balance']): readonly Fact[] {
  if (!balance) return [];
  const sum = (amount: number) => money(amount, balance.currency);
  return [
    ['Fee', sum(balance.fee)],
    ['Net', sum(balance.net)],
    ...(balance.exchangeRate === null
      ? []
      : [['Exchange rate', String(balance.exchangeRate)] as const]),
  ];
}

/** Returns the reason of a refund, who requested it and who approved it. */
function refundNotes(
  refund: PaymentDetails['refunds']['data'][number] | undefined,
): readonly string[] {
  const { reason = null, requestedBy = null, approvedBy = null } = refund ?? {};
  const words = reason && ((reasonNames as Record<string, string>)[reason] ?? reason);
  const who = askerWords(requestedBy);
  const approver = askerWords(approvedBy);
  return [words, who && `asked by ${who}`, approver && `approved by ${approver}`].flatMap(
    (each) => each || [],
  );
}

export function Refunds({ whole }: { whole: FullPayment }) {
  const { refunds, details, timeline } = whole;
  if (refunds.length === 0) return null;
  const factsOf = ({ id }: Payment) => details.refunds.data.find((each) => each.id === id);
  const isFailedLater = ({ id, status }: Payment) =>
    status === 'refund_failed' &&
    timeline.some(
      (entry) => entry.kind === 'status' && entry.paymentId === id && entry.status === 'succeeded',
    );
  return (
    <Block title="Refunds">
      <ul class="rows">
        {refunds.map((refund) => (
          <li key={refund.id} class="row">
            <div class="row-head">
              <span class="row-name">{movedMoney(refund)}</span>
              <Tag words={isFailedLater(refund) ? failedLater : statusWords(refund)} />
            </div>
            <p class="fine">
              <InstantText at={refund.createdAt} />
              {refundNotes(factsOf(refund)).map((words) => ` · ${words}`)}
              {refund.failureMessage && <> · {refund.failureMessage}</>}
            </p>
            {refund.metadata.note && <p class="lines">{refund.metadata.note}</p>}
          </li>
        ))}
      </ul>
    </Block>
  );
}

export function DisputeBlock({ whole }: { whole: FullPayment }) {
  const { clientId } = useMerchant();
  const { disputes, chargebacks } = whole;
  if (disputes.length === 0 && chargebacks.length === 0) return null;
  return (
    <Block title="Dispute">
      <ul class="rows">
        {disputes.map((dispute) => (
          <li key={dispute.id} class="row">
            <div class="row-head">
              <a class="row-name" href={addressOf(clientId, 'disputes', dispute.id)}>
                Dispute of {money(dispute.amount, dispute.currency)}
              </a>
              <Tag words={disputeWords[dispute.status]} />
            </div>
          </li>
        ))}
        {chargebacks.map((row) => (
          <li key={row.id} class="row">
            <div class="row-head">
              <span class="row-name">{movedMoney(row)}</span>
              <Tag words={statusWords(row)} />
            </div>
            <p class="fine">
              <InstantText at={row.financialEffectiveAt ?? row.createdAt} />
            </p>
          </li>
        ))}
      </ul>
    </Block>
  );
}

export function FraudSignals({ whole: { details } }: { whole: FullPayment }) {
  const { fraudWarnings, reviews } = details;
  if (fraudWarnings.length === 0 && reviews.length === 0) return null;
  const row = (id: string, at: string, parts: { name: string; why: string; words: Words }) => (
    <li key={id} class="row">
      <div class="row-head">
        <span class="row-name">{parts.name}</span>
        <Tag words={parts.words} />
      </div>
      <p class="fine">
        <InstantText at={at} /> · {parts.why}
      </p>
    </li>
  );
  return (
    <Block title="Suspected fraud">
      <ul class="rows">
        {fraudWarnings.map(({ id, warnedAt, fraudType, isActionable }) =>
          row(id, warnedAt, {
            name: 'Reported by the card’s bank',
            why: plainWords(fraudType),
            words: isActionable
              ? { text: 'A refund helps', tone: 'bad' }
              : { text: 'Refunded or disputed', tone: 'plain' },
          }),
        )}
        {reviews.map(({ id, openedAt, openedReason, isOpen, closedReason }) =>
          row(id, openedAt, {
            name: 'Review at the card provider',
            why: openedReason === 'rule' ? 'opened by a rule' : 'opened by a person',
            words: isOpen
              ? { text: 'Open', tone: 'soon' }
              : { text: `Ended: ${plainWords(closedReason ?? 'no reason given')}`, tone: 'plain' },
          }),
        )}
      </ul>
    </Block>
  );
}

/** The older entries of the timeline. They are read again when newer entries have moved the point where they begin. */
function useOlder({ payment, olderCursor }: FullPayment): Section<Entries> {
  const none = { entries: [], olderCursor };
  return useMemo(() => new Section<Entries>(async () => none, none), [payment.id, olderCursor]);
}

export function Timeline({ whole }: { whole: FullPayment }) {
  const { zone, clientId } = useMerchant();
  const section = useOlder(whole);
  const older = section.content.value ?? { entries: [], olderCursor: null };
  const cursor = older.olderCursor;
  const readOlder = (from: string) =>
    section.extend('older', async () => {
      const read = await readEntries(clientId, whole.payment.id, from);
      return { ...read, entries: [...read.entries, ...older.entries] };
    });
  const told = describeEntries(
    [...older.entries, ...whole.timeline],
    [whole.payment, ...whole.refunds, ...whole.chargebacks],
  );
  const steps = told.filter(({ isTechnical }) => isTechnical);
  const line = (each: (typeof told)[number], place: number) => (
    <li key={place}>
      <span>{each.text}</span>{' '}
      <span class="fine">
        <InstantText at={each.at} />
      </span>
    </li>
  );
  return (
    <Block title="What happened">
      <p class="fine">All times {zone}</p>
      <TroubleAt section={section} at="older" />
      {cursor !== null && (
        <ActionButton section={section} at="older" onAction={() => readOlder(cursor)}>
          Show older entries
        </ActionButton>
      )}
      <ol class="timeline" aria-label="What happened">
        {told.filter(({ isTechnical }) => !isTechnical).map(line)}
      </ol>
      {steps.length > 0 && (
        <details>
          <summary>{steps.length} technical steps</summary>
          <ol class="timeline">{steps.map(line)}</ol>
        </details>
      )}
    </Block>
  );
}

export function Developers({ whole }: { whole: FullPayment }) {
  const { payment, timeline } = whole;
  const { clientId } = useMerchant();
  const events = timeline.flatMap(({ kind, eventId, type }) =>
    kind === 'event' && eventId ? [{ eventId, type }] : [],
  );
  const path = `/v1/payments/${payment.id}`;
  return (
    <details class="block developers">
      <summary>
        <h2>Developers</h2>
      </summary>
      {payment.failureCode && (
        <Pairs
          facts={[
            ['Failure code', <code key="code">{payment.failureCode}</code>],
            payment.declineCode
              ? ['Decline code', <code key="code">{payment.declineCode}</code>]
              : null,
            payment.failureMessage ? ['The provider said', payment.failureMessage] : null,
          ]}
        />
      )}
      <h3>Events</h3>
      <ul>
        {events.map(({ eventId, type }) => (
          <li key={eventId}>
            <a href={eventAddress(clientId, eventId)}>{type}</a> <code>{eventId}</code>
          </li>
        ))}
      </ul>
      <h3>The same by curl</h3>
      <CodeLine about="as curl">
        {`curl -u "${clientId}:<API token>" ${location.origin}${path}`}
      </CodeLine>
      <h3>As JSON</h3>
      <CodeLine about="the JSON">{JSON.stringify(payment, null, 2)}</CodeLine>
    </details>
  );
}
