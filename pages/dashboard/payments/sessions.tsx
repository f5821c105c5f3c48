// Checkout sessions: who began to pay, and at which step they stopped.

import type {
  MerchantSession,
  MerchantSessionDetails,
} from '@svc/contract/checkout-sessions/merchant-sessions';
import { addressOf } from '../../kit/addresses.ts';
import { call } from '../../kit/calls.ts';
import { List } from '../../kit/list/list-page.tsx';
import type { ListSpec } from '../../kit/list/list-spec.ts';
import { timeColumn } from '../../kit/list/time-column.tsx';
import { useMerchant } from '../../kit/merchant.ts';
import { money } from '../../kit/money.ts';
import { InstantText, Tag } from '../../kit/parts/bits.tsx';
import { DetailPage } from '../../kit/parts/detail-page.tsx';
import { Block, CopiedText, Pairs } from '../../kit/parts/facts.tsx';
import { OnlyAction } from '../../kit/parts/only-action.tsx';
import { Empty } from '../../kit/parts/states.tsx';
import { Title } from '../../kit/parts/title.tsx';
import { useResource } from '../../kit/read.ts';
import type { Words } from '../../kit/words.ts';
import { declineOf } from '../reports/declines.ts';

const statuses: Readonly<Record<MerchantSession['status'], Words>> = {
  unclaimed: { text: 'No cart yet', tone: 'plain' },
  open: { text: 'Open', tone: 'plain' },
  requires_action: { text: 'At the bank', tone: 'plain' },
  processing: { text: 'Being paid', tone: 'plain' },
  authorized: { text: 'Ended with a hold', tone: 'good' },
  completed: { text: 'Completed', tone: 'good' },
  canceled: { text: 'Cancelled', tone: 'plain' },
  expired: { text: 'Expired', tone: 'plain' },
};

const stops: Readonly<Record<MerchantSession['step'], string>> = {
  cart: 'Before the cart',
  card: 'At the card form',
  bank: 'At the bank’s authentication',
  provider: 'At the provider',
  done: 'Paid or held',
};

const sum = ({ totals }: MerchantSession) =>
  totals ? money(totals.total, totals.currency) : 'No total';

const stopWords = (row: MerchantSession) =>
  row.latestResult === 'DECLINED' && row.step === 'card'
    ? 'At the card form, after a decline'
    : stops[row.step];

const sessionsSpec: ListSpec<MerchantSession> = {
  title: 'Sessions',
  viewed: 'sessions',
  noun: ['session', 'sessions'],
  path: '/v1/checkout-sessions',
  filters: [
    {
      name: 'status',
      title: 'Status',
      kind: 'choice',
      choices: Object.fromEntries(Object.entries(statuses).map(([key, { text }]) => [key, text])),
    },
    { name: 'email', title: 'Email', kind: 'text' },
    { name: 'createdAt', title: 'Created', kind: 'time' },
    { name: 'userId', title: 'Customer id', kind: 'id' },
    { name: 'id', title: 'Session id', kind: 'id' },
  ],
  columns: [
    { id: 'total', title: 'Total', isShort: true, cell: sum },
    { id: 'status', title: 'Status', cell: (row) => <Tag words={statuses[row.status]} /> },
    { id: 'step', title: 'Came to', cell: stopWords },
    { id: 'email', title: 'Buyer', cell: (row) => row.email ?? '–' },
    timeColumn('createdAt', { id: 'created', title: 'Created', isSorted: true }),
    { id: 'id', title: 'Session id', cell: (row) => row.id },
  ],
  shown: ['total', 'status', 'step', 'email', 'created'],
  sort: '-createdAt',
  keyOf: ({ id }) => id,
  hrefOf: ({ id }, { clientId }) => addressOf(clientId, 'sessions', id),
  aboutOf: ({ email }) => email ?? '',
  linesOf: (row) => [
    `${sum(row)}, ${statuses[row.status].text.toLowerCase()}`,
    row.email ?? 'No buyer yet',
    <InstantText key="at" at={row.createdAt} />,
  ],
  empty: () => (
    <Empty title="No session in the last 30 days">
      <p>
        A session is listed here as soon as you send a buyer to pay, even if the buyer never pays.
      </p>
    </Empty>
  ),
};

export const SessionsPage = () => (
  <>
    <div class="title-line">
      <Title>Sessions</Title>
      <p class="fine">Checkout sessions of the last 30 days.</p>
    </div>
    <List spec={sessionsSpec} />
  </>
);

export function SessionPage({ id }: { id: string }) {
  const read = useResource('GET /v1/checkout-sessions/{sessionId}', { sessionId: id });
  return (
    <DetailPage part="sessions" title="Session" read={read}>
      {(content) => <ShownSession session={content} again={read.again} />}
    </DetailPage>
  );
}

type ShownProps = { readonly session: MerchantSessionDetails; readonly again: () => Promise<void> };

/** A session that nobody has paid or ended yet. */
const canEnd = ({ status }: MerchantSession) =>
  status === 'open' || status === 'requires_action' || status === 'processing';

const EndSession = ({ session, again }: ShownProps) => (
  <OnlyAction
    question={{
      title: 'End this session now?',
      yes: 'End it',
      no: 'Keep it',
      text: (
        <p>
          The buyer can no longer pay it. A payment with an unknown result keeps the session open.
        </p>
      ),
    }}
    failed="The session was not ended"
    done="The session is ended."
    what="end a checkout session"
    permission="checkout.write"
    isOffered={canEnd(session)}
    action={(clientId) =>
      call('POST /v1/checkout-sessions/{sessionId}/expire', { sessionId: session.id }, { clientId })
    }
    again={again}
  >
    Expire
  </OnlyAction>
);

function ShownSession({ session, again }: ShownProps) {
  const { clientId } = useMerchant();
  const { totals } = session;
  const buyer = session.email ?? session.userId ?? 'None yet';
  return (
    <>
      <div class="detail-head">
        <Title title="Session">{session.totals ? `Session of ${sum(session)}` : 'Session'}</Title>
        <p>
          <span role="status">
            <Tag words={statuses[session.status]} />
          </span>{' '}
          {stopWords(session)}
        </p>
      </div>
      <EndSession session={session} again={again} />
      <Block title="Cart">
        {session.products.length === 0 && <p class="fine">No cart.</p>}
        <ul class="rows">
          {session.products.map((line, index) => (
            <li key={index} class="row">
              <div class="row-head">
                <span class="row-name">
                  {line.quantity} × {line.name}
                </span>
                <span>{money(line.overrideAmount ?? line.totalAmount, line.currency)}</span>
              </div>
              {(line.description || line.reference) && (
                <p class="fine">{[line.description, line.reference].filter(Boolean).join(' · ')}</p>
              )}
            </li>
          ))}
        </ul>
        {totals && (
          <Pairs
            facts={[
              totals.discount > 0
                ? ['Discount', `−${money(totals.discount, totals.currency)}`]
                : null,
              ['Total', money(totals.total, totals.currency)],
            ]}
          />
        )}
      </Block>
      <Attempts session={session} />
      <Block title="Facts">
        <Pairs
          facts={[
            [
              'Buyer',
              session.userId && session.buyerVerified ? (
                <a key="to" href={addressOf(clientId, 'customers', session.userId)}>
                  {buyer}
                </a>
              ) : (
                buyer
              ),
            ],
            session.couponCodes.length > 0 ? ['Coupons', session.couponCodes.join(', ')] : null,
            ['Created', <InstantText key="at" at={session.createdAt} />],
            ['Ends', <InstantText key="at" at={session.expiresAt} />],
            ['Session id', <CopiedText key="id" text={session.id} about="the session id" />],
            ...Object.entries(session.metadata),
          ]}
        />
      </Block>
    </>
  );
}

function Attempts({ session: { attempts } }: { session: MerchantSessionDetails }) {
  const { clientId } = useMerchant();
  return (
    <Block title="Attempts">
      {attempts.length === 0 && <p class="fine">Nobody tried to pay it.</p>}
      <ol class="rows">
        {attempts.map((attempt) => (
          <li key={attempt.paymentId} class="row">
            <div class="row-head">
              <a class="row-name" href={addressOf(clientId, 'payments', attempt.paymentId)}>
                {attempt.status.replaceAll('_', ' ')}
              </a>
              {attempt.status === 'failed' && (
                <span class="fine">
                  {declineOf(attempt.declineCode ?? attempt.failureCode).what}
                </span>
              )}
            </div>
            <p class="fine">
              <InstantText at={attempt.createdAt} />
            </p>
          </li>
        ))}
      </ol>
    </Block>
  );
}
