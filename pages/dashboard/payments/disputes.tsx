// Disputes: the list, and the page of one dispute.

import type { ListedDispute } from '@svc/contract/payments/disputes';
import { addressOf } from '../../kit/addresses.ts';
import { disputeFile } from '../../kit/list/export-columns.ts';
import { List } from '../../kit/list/list-page.tsx';
import type { ListSpec } from '../../kit/list/list-spec.ts';
import { timeColumn } from '../../kit/list/time-column.tsx';
import { useMerchant } from '../../kit/merchant.ts';
import { money } from '../../kit/money.ts';
import { InstantText, Tag } from '../../kit/parts/bits.tsx';
import { DetailPage } from '../../kit/parts/detail-page.tsx';
import { Block, CopiedText, Pairs } from '../../kit/parts/facts.tsx';
import { serviceTime } from '../../kit/parts/sandbox-clock.tsx';
import { Empty } from '../../kit/parts/states.tsx';
import { Title } from '../../kit/parts/title.tsx';
import { useResource } from '../../kit/read.ts';
import { blocksRefund, buyerOf, choicesOf, disputeWords, needsAnswer } from '../../kit/words.ts';
import { Notes } from '../notes/notes.tsx';
import {
  answererSentence,
  answerWords,
  dueWords,
  reasonOfDispute,
  ruleWords,
} from './dispute-words.ts';

/** The time by which a dispute must be answered; nothing for one that was answered. */
function DueDate({ dispute }: { dispute: ListedDispute }) {
  if (dispute.awaits === 'provider') return <>The provider answers</>;
  const words = dueWords(dispute, serviceTime());
  if (words === null) return <>–</>;
  if (words.tone === 'bad') return <Tag words={words} />;
  return (
    <>
      {words.text} (<InstantText at={dispute.evidenceDueBy} />)
    </>
  );
}

const sum = ({ amount, currency }: ListedDispute) => money(amount, currency);

/** The buyer of the disputed purchase. */
const disputedBuyer = ({ customerEmail, customerName }: ListedDispute) =>
  buyerOf({ email: customerEmail, customerName });

export const disputesSpec: ListSpec<ListedDispute> = {
  title: 'Disputes',
  viewed: 'disputes',
  file: disputeFile,
  noun: ['dispute', 'disputes'],
  path: '/v1/disputes',
  follows: 'dispute',
  views: [
    { title: 'All', query: '' },
    {
      title: 'To answer',
      query: 'awaits=merchant',
    },
    { title: 'The provider answers', query: 'awaits=provider' },
    { title: 'Answered', query: 'status=under_review,warning_under_review,appeal_under_review' },
    { title: 'Won', query: 'status=won' },
    { title: 'Lost', query: 'status=lost' },
  ],
  filters: [
    { name: 'status', title: 'Status', kind: 'choice', choices: choicesOf(disputeWords) },
    {
      name: 'awaits',
      title: 'Who answers',
      kind: 'choice',
      choices: { merchant: 'You', provider: 'The card provider' },
    },
    { name: 'evidenceDueBy', title: 'Due', kind: 'time' },
    { name: 'createdAt', title: 'Received', kind: 'time' },
    { name: 'amount', title: 'Amount', kind: 'amount' },
    { name: 'reason', title: 'Reason', kind: 'text', hint: 'The provider’s word.' },
    { name: 'customerId', title: 'Customer id', kind: 'id' },
    { name: 'paymentId', title: 'Payment id', kind: 'id' },
    { name: 'providerDisputeId', title: 'Provider’s id', kind: 'text' },
    { name: 'id', title: 'Dispute id', kind: 'id' },
  ],
  columns: [
    { id: 'amount', title: 'Amount', isNumber: true, cell: sum },
    { id: 'due', title: 'Due', sort: 'evidenceDueBy', cell: (row) => <DueDate dispute={row} /> },
    { id: 'status', title: 'Status', cell: (row) => <Tag words={disputeWords[row.status]} /> },
    { id: 'reason', title: 'Reason', cell: (row) => reasonOfDispute(row.reason).text },
    { id: 'customer', title: 'Customer', cell: (row) => disputedBuyer(row) ?? '–' },
    timeColumn('openedAt', { id: 'opened', title: 'Opened' }),
    timeColumn('createdAt', { id: 'created', title: 'Received', isSorted: true }),
    timeColumn('updatedAt', { id: 'updated', title: 'Changed', isSorted: true }),
    timeColumn('closedAt', { id: 'closed', title: 'Closed' }),
    { id: 'provider', title: 'Provider’s id', cell: (row) => row.providerDisputeId },
  ],
  shown: ['amount', 'due', 'status', 'customer', 'reason', 'opened'],
  sort: '-createdAt',
  keyOf: ({ id }) => id,
  hrefOf: ({ id }, { clientId }) => addressOf(clientId, 'disputes', id),
  aboutOf: (row) => {
    const buyer = disputedBuyer(row);
    return `disputed${buyer ? ` by ${buyer}` : ''}: ${reasonOfDispute(row.reason).text}`;
  },
  linesOf: (row) => [
    <>
      {sum(row)} <Tag words={disputeWords[row.status]} />
    </>,
    [disputedBuyer(row), reasonOfDispute(row.reason).text].filter(Boolean).join(' · '),
    <DueDate key="due" dispute={row} />,
  ],
  empty: () => (
    <Empty title="No dispute">
      <p>
        When a card holder asks the bank for the money back, the dispute is listed here with its
        deadline.
      </p>
    </Empty>
  ),
};

export const DisputesPage = () => (
  <>
    <Title>Disputes</Title>
    <List spec={disputesSpec} />
  </>
);

export function DisputePage({ id }: { id: string }) {
  const read = useResource('GET /v1/disputes/{disputeId}', { disputeId: id });
  return (
    <DetailPage part="disputes" title="Dispute" read={read}>
      {(content) => <ShownDispute dispute={content} />}
    </DetailPage>
  );
}

function ShownDispute({ dispute }: { dispute: ListedDispute }) {
  const { clientId } = useMerchant();
  const { text, helps } = reasonOfDispute(dispute.reason);
  const isOpen = needsAnswer(dispute);
  const answerer = answererSentence(dispute);
  const answered = answerWords(dispute);
  const buyer = disputedBuyer(dispute);
  const customer = dispute.customerId ? (
    <a href={addressOf(clientId, 'customers', dispute.customerId)}>{buyer ?? dispute.customerId}</a>
  ) : (
    buyer
  );
  return (
    <>
      <div class="detail-head">
        <Title title={`Dispute of ${sum(dispute)}`}>{`Dispute of ${sum(dispute)}`}</Title>
        <p>
          <span role="status">
            <Tag words={disputeWords[dispute.status]} />
          </span>{' '}
          {isOpen && (
            <>
              Due <DueDate dispute={dispute} />
            </>
          )}
        </p>
      </div>
      <Block title="What the bank says">
        <p>{text}.</p>
        {answerer && <p>{answerer}</p>}
        {isOpen && (
          <>
            <p>
              What helps: {helps} The card holder’s bank reads your answer. Send it on your card
              provider’s website, under the id below, before the deadline.
            </p>
            {blocksRefund(dispute) && (
              <p class="fine">
                A disputed payment cannot be refunded: the buyer would get the money twice.
              </p>
            )}
          </>
        )}
      </Block>
      <Block title="Facts">
        <Pairs
          facts={[
            [
              'Payment',
              <a key="payment" href={addressOf(clientId, 'payments', dispute.paymentId)}>
                The disputed payment
              </a>,
            ],
            ['Customer', customer ?? 'Not known'],
            ['Amount', sum(dispute)],
            ['Withdrawn', money(dispute.withdrawnAmount, dispute.currency)],
            answered ? ['Answered by', answered] : null,
            dispute.hasEvidence && !answered ? ['Evidence', 'Stored, not sent yet'] : null,
            dispute.enhancedEligibility.length > 0
              ? ['Special rules', dispute.enhancedEligibility.map(ruleWords).join('; ')]
              : null,
            ['Opened', <InstantText key="at" at={dispute.openedAt} />],
            dispute.closedAt ? ['Closed', <InstantText key="at" at={dispute.closedAt} />] : null,
            [
              'Provider’s id',
              <CopiedText key="id" text={dispute.providerDisputeId} about="the provider’s id" />,
            ],
            ['Dispute id', <CopiedText key="id" text={dispute.id} about="the dispute id" />],
          ]}
        />
      </Block>
      <Notes about="dispute" id={dispute.id} />
    </>
  );
}
