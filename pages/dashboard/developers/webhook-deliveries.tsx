// The deliveries of one endpoint as a list: their states, their errors, and sending chosen ones again.

import type { WebhookDelivery, WebhookEndpoint } from '@svc/contract/developers/webhook-endpoints';
import { msOf } from '@svc/contract/values/instants';
import { eventAddress } from '../../kit/addresses.ts';
import { call } from '../../kit/calls.ts';
import { List } from '../../kit/list/list-page.tsx';
import type { ChosenProps, ListSpec } from '../../kit/list/list-spec.ts';
import { timeColumn } from '../../kit/list/time-column.tsx';
import { useMerchant } from '../../kit/merchant.ts';
import { InstantText, Tag } from '../../kit/parts/bits.tsx';
import { Busy, useAction } from '../../kit/parts/form.tsx';
import { serviceTime } from '../../kit/parts/sandbox-clock.tsx';
import { Empty, Trouble } from '../../kit/parts/states.tsx';
import { countedNoun } from '../../kit/words.ts';
import { eventTypeFilter } from './event-list.tsx';
import { causesOf, outcomeWords, stateNames } from './webhook-words.ts';

type ListProps = {
  readonly endpoint: WebhookEndpoint;
  /** Counts deliveries that were sent again elsewhere on the page. Each change reads the list again. */
  readonly turn: number;
  /** Called after something was sent, because the endpoint's state may have changed. */
  readonly onSent: (text: string) => void;
};

export const DeliveriesList = ({ endpoint, turn, onSent }: ListProps) => (
  <List key={turn} spec={deliveriesSpec(endpoint, onSent)} />
);

const outcomeOf = ({ lastStatus, lastError }: WebhookDelivery) => ({
  status: lastStatus,
  error: lastError,
});
const hasFailed = (delivery: WebhookDelivery): boolean =>
  delivery.state !== 'delivered' && outcomeWords(outcomeOf(delivery)) !== null;

/** What to do, shown once per cause: many deliveries fail for the same one. */
function Causes({ shown }: { shown: readonly WebhookDelivery[] }) {
  const causes = causesOf(shown.filter(hasFailed).map(outcomeOf));
  if (causes.length === 0) return null;
  return (
    <section class="hook-trouble" aria-label="What to do">
      {causes.map(({ words, advice, count }) => (
        <p key={words}>
          <strong>{count === 1 ? words : `${words}, ${count} of those shown`}.</strong> {advice}
        </p>
      ))}
    </section>
  );
}

/** A retry that is further away than this is not waited for. */
const soonMs = 30_000;
const isUnderWay = ({ state, nextAttemptAt }: WebhookDelivery): boolean =>
  state === 'pending' && nextAttemptAt !== null && msOf(nextAttemptAt) - serviceTime() < soonMs;

const tones = { pending: 'plain', delivered: 'good', dead: 'soon', cancelled: 'plain' } as const;

const State = ({ row }: { row: WebhookDelivery }) => (
  <>
    <Tag words={{ text: stateNames[row.state], tone: tones[row.state] }} />
    {row.redeliveries > 0 && <Tag words={{ text: 'Redelivery', tone: 'plain' }} />}
  </>
);

const answerOf = (row: WebhookDelivery): string => outcomeWords(outcomeOf(row)) ?? '–';
const deliveryNoun = ['delivery', 'deliveries'] as const;

const deliveriesSpec = (
  { id, isEnabled }: WebhookEndpoint,
  onSent: ListProps['onSent'],
): ListSpec<WebhookDelivery> => ({
  title: 'Deliveries',
  noun: deliveryNoun,
  path: `/v1/webhook-endpoints/${id}/deliveries`,
  views: [
    { title: 'All', query: '' },
    { title: 'Delivered', query: 'state=delivered' },
    { title: 'Waiting', query: 'state=pending' },
    { title: 'Given up', query: 'state=dead' },
  ],
  filters: [
    { name: 'state', title: 'State', kind: 'choice', choices: stateNames },
    { ...eventTypeFilter, name: 'eventType' },
    { name: 'createdAt', title: 'Event of', kind: 'time' },
  ],
  columns: [
    { id: 'event', title: 'Event', isShort: true, cell: ({ eventType }) => eventType },
    { id: 'state', title: 'State', cell: (row) => <State row={row} /> },
    { id: 'answer', title: 'Last answer', isShort: true, cell: answerOf },
    { id: 'attempts', title: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
    timeColumn('createdAt', { id: 'created', title: 'Event of', isSorted: true }),
    timeColumn('nextAttemptAt', { id: 'next', title: 'Next attempt' }),
    timeColumn('finishedAt', { id: 'ended', title: 'Ended' }),
    { id: 'id', title: 'Event id', cell: ({ eventId }) => eventId },
  ],
  shown: ['event', 'state', 'answer', 'attempts', 'created'],
  sort: '-createdAt',
  keyOf: ({ eventId }) => eventId,
  hrefOf: ({ eventId }, { clientId }) => eventAddress(clientId, eventId),
  aboutOf: ({ state }) => stateNames[state].toLowerCase(),
  linesOf: (row) => [
    <>
      {row.eventType} <State row={row} />
    </>,
    `${answerOf(row)} · ${countedNoun(row.attempts, ['attempt', 'attempts'])}`,
    <InstantText key="at" at={row.createdAt} />,
  ],
  isUnderWay,
  above: (rows) => <Causes shown={rows} />,
  ...(isEnabled
    ? {
        choosing: {
          permission: 'developers.write',
          nameOf: ({ eventType }) => eventType,
          bar: (given) => <SendChosen {...given} endpointId={id} onSent={onSent} />,
        },
      }
    : {}),
  empty: () => (
    <Empty title="No delivery yet">
      <p>The next event appears here, and so does a test event.</p>
    </Empty>
  ),
});

type SendProps = ChosenProps<WebhookDelivery> & {
  readonly endpointId: string;
  readonly onSent: ListProps['onSent'];
};

/** Sends the chosen deliveries again, one after the other; those on their way are left as they are. */
function SendChosen({ chosen, clear, endpointId, onSent }: SendProps) {
  const { clientId } = useMerchant();
  const { run, isBusy, failure } = useAction(async () => {
    let sent = 0;
    for (const { eventId } of chosen) {
      const input = { eventId, body: { endpointIds: [endpointId] } };
      sent += (await call('POST /v1/events/{eventId}/redeliver', input, { clientId })).deliveries;
    }
    clear();
    const left = chosen.length - sent;
    onSent(
      `${countedNoun(sent, ['event is', 'events are'])} on ${sent === 1 ? 'its' : 'their'} way again, labelled as redelivery.` +
        (left > 0 ? ` ${left} already on the way.` : ''),
    );
  });
  if (chosen.length === 0) return null;
  return (
    <section class="chosen-bar" aria-label="Chosen deliveries">
      {failure && <Trouble failure={failure} title="Not all were sent again" />}
      <span role="status">{countedNoun(chosen.length, deliveryNoun)} chosen</span>
      <Busy kind="second main" isBusy={isBusy} onClick={() => void run()}>
        Send again
      </Busy>
      <button type="button" class="quiet" onClick={clear}>
        Choose none
      </button>
    </section>
  );
}
