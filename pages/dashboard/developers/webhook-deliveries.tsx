// The deliveries of one endpoint: their states, their errors, and sending one again.

import type { WebhookDelivery, WebhookEndpoint } from '@svc/contract/developers/webhook-endpoints';
import { useEffect, useMemo } from 'preact/hooks';
import { eventAddress } from '../../kit/addresses.ts';
import { call } from '../../kit/calls.ts';
import { type AddressSpec, filtersOf } from '../../kit/list/list-address.ts';
import { Filters, readPageAddress } from '../../kit/list/list-filters.tsx';
import { PagedRows, type RowSpec } from '../../kit/list/row-list.tsx';
import { useMerchant } from '../../kit/merchant.ts';
import { ActionButton } from '../../kit/parts/action-button.tsx';
import { serviceTime } from '../../kit/parts/sandbox-clock.tsx';
import { SectionBox, TroubleAt } from '../../kit/parts/section-box.tsx';
import { timeFact } from '../../kit/parts/time.tsx';
import { Section } from '../../kit/section.ts';
import { countedNoun } from '../../kit/words.ts';
import { causesOf, outcomeWords, resentWords, stateNames } from './webhook-words.ts';

type SectionProps = {
  readonly clientId: string;
  readonly endpoint: WebhookEndpoint;
  readonly mayChange: boolean;
  /** Counts deliveries that were sent again elsewhere on the page. Each change reads the list again. */
  readonly turn: number;
  /** Called after something was sent, because the endpoint's state may have changed. */
  readonly onChange: () => void;
};

const addressSpec: AddressSpec = {
  path: '',
  sort: '-createdAt',
  columns: [],
  filters: [
    { name: 'state', title: 'State', kind: 'choice', choices: stateNames },
    { name: 'createdAt', title: 'Event of', kind: 'time' },
  ],
};

export function DeliveriesSection(props: SectionProps) {
  const { clientId, endpoint, turn, onChange } = props;
  const maySend = props.mayChange && endpoint.isEnabled;
  const { zone } = useMerchant();
  const { asked, change } = readPageAddress(addressSpec);
  const filters = filtersOf(asked, addressSpec, zone, serviceTime()).toString();
  const { id } = endpoint;
  const read = (cursor?: string) => {
    const query = filters + (cursor ? `&cursor=${encodeURIComponent(cursor)}` : '');
    return call(
      'GET /v1/webhook-endpoints/{id}/deliveries',
      { id, limit: 25 },
      { clientId, query },
    );
  };
  const section = useMemo(() => new Section(() => read()), [id, filters]);
  useEffect(() => {
    if (turn > 0) void section.again();
  }, [turn]);
  const look = async () => {
    await section.change('again', async () => {});
    onChange();
  };
  return (
    <SectionBox
      section={section}
      title="Deliveries"
      intro="The newest event first."
      bar={<Filters filters={addressSpec.filters} asked={asked} change={change} />}
    >
      {(listed) => (
        <>
          <Causes shown={listed.data} />
          <PagedRows
            spec={deliveriesSpec({ clientId, maySend, isAll: filters === '' })}
            section={section}
            listed={listed}
            readMore={listed.nextCursor !== null && (() => read(listed.nextCursor ?? ''))}
          >
            <ActionButton section={section} at="again" onAction={look}>
              Look again
            </ActionButton>
          </PagedRows>
          <TroubleAt section={section} at="again" />
        </>
      )}
    </SectionBox>
  );
}

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

type Given = { readonly clientId: string; readonly maySend: boolean; readonly isAll: boolean };

const tones = { pending: 'plain', delivered: 'good', dead: 'soon', cancelled: 'plain' } as const;

const deliveriesSpec = ({ clientId, maySend, isAll }: Given): RowSpec<WebhookDelivery> => ({
  title: 'Deliveries',
  noun: ['delivery', 'deliveries'],
  keyOf: ({ eventId }) => eventId,
  nameOf: ({ eventType }) => eventType,
  hrefOf: ({ eventId }) => eventAddress(clientId, eventId),
  tagsOf: ({ state, redeliveries }) => [
    { text: stateNames[state], tone: tones[state] },
    redeliveries > 0 && { text: 'Redelivery', tone: 'plain' },
  ],
  factsOf: ({ createdAt, attempts, state, nextAttemptAt, finishedAt }) => [
    timeFact('Event of', createdAt),
    countedNoun(attempts, ['attempt', 'attempts']),
    state === 'pending' && nextAttemptAt && attempts > 0 && timeFact('Next one', nextAttemptAt),
    finishedAt && timeFact('Ended', finishedAt),
  ],
  textOf: (delivery) =>
    hasFailed(delivery) && <p class="row-text">{outcomeWords(outcomeOf(delivery))}</p>,
  actionsOf: ({ eventId, endpointId, state }) => [
    maySend &&
      state !== 'pending' && {
        label: 'Send again',
        action: () => {
          const input = { eventId, body: { endpointIds: [endpointId] } };
          return call('POST /v1/events/{eventId}/redeliver', input, { clientId });
        },
        said: resentWords(1),
      },
  ],
  empty: isAll
    ? {
        title: 'No delivery yet',
        text: <p>The next event appears here, and so does a test event.</p>,
      }
    : { title: 'Nothing matches', text: <p>Change or remove a filter.</p> },
});
