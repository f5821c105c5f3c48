// The list of payments, with a row for each purchase, refund and chargeback.

import type { ListedPayment } from '@svc/contract/payments/payments';
import type { ComponentChildren } from 'preact';
import { addressOf } from '../../kit/addresses.ts';
import { paymentFile } from '../../kit/list/export-columns.ts';
import { paymentFilters } from '../../kit/list/filters.ts';
import type { Column, ListSpec, View } from '../../kit/list/list-spec.ts';
import { timeColumn } from '../../kit/list/time-column.tsx';
import { money, movedMoney, signedMoney } from '../../kit/money.ts';
import { InstantText, Tag } from '../../kit/parts/bits.tsx';
import { CodeLine } from '../../kit/parts/code-line.tsx';
import { Empty } from '../../kit/parts/states.tsx';
import { buyerOf, cardWords, statusWords, typeNames } from '../../kit/words.ts';
import { ReasonName } from '../reports/decline-groups.tsx';

/** A long address may take two lines, so that it cuts no other column. */
function addressOfBuyer({ email }: Pick<ListedPayment, 'email'>): ComponentChildren {
  if (email === null) return '–';
  const at = email.lastIndexOf('@');
  return (
    <>
      {email.slice(0, at)}
      <wbr />
      {email.slice(at)}
    </>
  );
}

const moneyOf = (row: ListedPayment, amount: number) => money(amount, row.currency);

/** What the provider booked, in the currency of the balance; a dash before it has. */
const bookedSum = ({ balance }: ListedPayment, sum: 'fee' | 'net') =>
  balance ? signedMoney(balance[sum], balance.currency) : '–';

export const paymentColumns: readonly Column<ListedPayment>[] = [
  { id: 'amount', title: 'Amount', sort: 'amount', isNumber: true, cell: movedMoney },
  {
    id: 'status',
    title: 'Status',
    cell: (row) => <Tag words={statusWords(row)} />,
  },
  { id: 'customer', title: 'Customer', cell: (row) => row.customerName ?? addressOfBuyer(row) },
  // The digits stay together; a long name of a brand may take two lines.
  {
    id: 'card',
    title: 'Card',
    cell: (row) => cardWords(row.paymentMethod).replace('•••• ', '••••\u00a0'),
  },
  { id: 'email', title: 'Email', cell: addressOfBuyer },
  { id: 'type', title: 'Type', cell: (row) => typeNames[row.type] },
  timeColumn('createdAt', { id: 'created', title: 'Created', isSorted: true }),
  timeColumn('updatedAt', { id: 'updated', title: 'Changed', isSorted: true }),
  {
    id: 'refunded',
    title: 'Refunded',
    isNumber: true,
    cell: (row) => moneyOf(row, row.amountRefunded),
  },
  {
    id: 'refundable',
    title: 'Refundable',
    isNumber: true,
    cell: (row) => moneyOf(row, row.amountRefundable),
  },
  {
    id: 'captured',
    title: 'Captured',
    isNumber: true,
    cell: (row) => moneyOf(row, row.amountCaptured),
  },
  { id: 'fee', title: 'Fee', isNumber: true, cell: (row) => bookedSum(row, 'fee') },
  { id: 'net', title: 'Net', isNumber: true, cell: (row) => bookedSum(row, 'net') },
  { id: 'reference', title: 'Reference', isShort: true, cell: (row) => row.shortReference },
  timeColumn('capturedAt', { id: 'capturedAt', title: 'Captured at' }),
  timeColumn('financialEffectiveAt', { id: 'effective', title: 'Money moved at', isSorted: true }),
  timeColumn('authorizationExpiresAt', { id: 'expires', title: 'Hold expires', isSorted: true }),
  {
    id: 'decline',
    title: 'Why declined',
    cell: ({ declineCode }) =>
      declineCode === null ? '–' : <ReasonName reason={declineCode} list={null} />,
  },
  {
    id: 'capture',
    title: 'Capture',
    cell: (row) => (row.captureMethod === 'manual' ? 'By hand' : 'At once'),
  },
  {
    id: 'provider',
    title: 'Paid by',
    cell: (row) => (row.provider === 'wallet' ? 'Wallet' : 'Card'),
  },
  { id: 'charge', title: 'Charge id', cell: (row) => row.gatewayChargeId ?? '–' },
  { id: 'id', title: 'Payment id', cell: (row) => row.id },
  { id: 'session', title: 'Session id', cell: (row) => row.sessionId ?? '–' },
];

const views: readonly View[] = [
  { title: 'All', query: '' },
  { title: 'Succeeded', query: 'status=succeeded' },
  { title: 'Holds', query: 'status=authorized' },
  { title: 'Refunds', query: 'type=refund' },
  { title: 'Failed', query: 'status=failed' },
  { title: 'Disputed', query: 'isDisputed=true' },
  { title: 'Not known', query: 'status=unknown' },
];

/** Returns who paid, for the name of a link. */
export function aboutPayment(payment: ListedPayment): string {
  const kind = payment.type === 'purchase' ? '' : `${typeNames[payment.type].toLowerCase()} `;
  const buyer = buyerOf(payment);
  return kind + (buyer ? `of ${buyer}` : 'without an address');
}

const paymentLines: ListSpec<ListedPayment>['linesOf'] = (row) => [
  <>
    {movedMoney(row)} <Tag words={statusWords(row)} />
  </>,
  `${typeNames[row.type]} · ${buyerOf(row) ?? 'No address'}`,
  <InstantText key="at" at={row.createdAt} />,
];

/** Returns the command that creates a checkout session. */
export const firstPayment = (clientId: string): string =>
  `curl -u '${clientId}:<API token>' ${location.origin}/v1/checkouts/sessions -H 'Content-Type: application/json' -d '{ "clientId": "${clientId}", "currency": "EUR", "products": [{ "code": "<code of a product>", "quantity": 1 }], "accountData": { "userId": "buyer-1", "email": "ada@example.com" } }'`;

/** The parts that all lists of payments share. */
export const paymentSpec = {
  noun: ['payment', 'payments'],
  path: '/v1/payments',
  follows: 'payment',
  filters: paymentFilters,
  columns: paymentColumns,
  sort: '-createdAt',
  keyOf: ({ id }) => id,
  hrefOf: ({ id, type, parentPaymentId }, { clientId }) =>
    addressOf(clientId, 'payments', type === 'purchase' ? id : (parentPaymentId ?? id)),
  aboutOf: aboutPayment,
  linesOf: paymentLines,
} satisfies Partial<ListSpec<ListedPayment>>;

export const paymentsSpec: ListSpec<ListedPayment> = {
  ...paymentSpec,
  title: 'Payments',
  viewed: 'payments',
  file: paymentFile,
  hasSums: true,
  views,
  shown: ['amount', 'status', 'customer', 'card', 'type', 'created'],
  empty: ({ clientId }) => (
    <Empty title="No payment yet">
      <p>
        A payment is listed here as soon as a buyer starts to pay. Open a checkout session for one
        of your products, and pay it with the card 4242 4242 4242 4242:
      </p>
      <CodeLine about="the command">{firstPayment(clientId)}</CodeLine>
    </Empty>
  ),
};
