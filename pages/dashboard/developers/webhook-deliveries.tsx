// The deliveries of one endpoint: their states, their errors, and sending one again.

import type { WebhookDelivery, WebhookEndpoint } from '@svc/contract/webhook-endpoints';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { eventAddress } from '../../kit/addresses.ts';
import { call, type ListPage } from '../../kit/calls.ts';
import { useMerchant } from '../../kit/merchant.ts';
import { Busy } from '../../kit/parts/form.tsx';
import { Select } from '../../kit/parts/inputs.tsx';
import { ActionButton, SectionBox, TroubleAt } from '../../kit/parts/section-box.tsx';
import { Empty } from '../../kit/parts/states.tsx';
import { FactLine, SaidAt } from '../../kit/parts/time.tsx';
import { Section } from '../../kit/section.ts';
import { causesOf, outcomeWords, resentWords, stateNames } from './webhook-words.ts';

type Deliveries = Section<ListPage<WebhookDelivery>>;

type SectionProps = {
  readonly clientId: string;
  readonly endpoint: WebhookEndpoint;
  readonly mayChange: boolean;
  /** Counts deliveries that were sent again elsewhere on the page. Each change reads the list again. */
  readonly turn: number;
  /** Called after something was sent, because the endpoint's state may have changed. */
  readonly onChange: () => void;
};

const states = ['pending', 'delivered', 'dead', 'cancelled'] as const;
const stateIn = (search: string): string =>
  states.find((state) => state === new URLSearchParams(search).get('state')) ?? '';

/** The chosen state, stored in the address bar. */
function useStateFilter(): readonly [string, (wanted: string) => void] {
  const [state, setState] = useState(() => stateIn(location.search));
  const apply = (wanted: string) => {
    const search = wanted ? `?state=${wanted}` : '';
    history.replaceState(null, '', location.pathname + search);
    setState(wanted);
  };
  return [state, apply];
}

export function DeliveriesSection(props: SectionProps) {
  const { clientId, endpoint, turn, onChange } = props;
  const maySend = props.mayChange && endpoint.isEnabled;
  const [state, setState] = useStateFilter();
  const { id } = endpoint;
  const read = (cursor?: string) =>
    call(
      'GET /v1/webhook-endpoints/{id}/deliveries',
      { id, limit: 25, ...(state ? { 'state[eq]': state } : {}), cursor },
      { clientId },
    );
  const section = useMemo(() => new Section(() => read()), [id, state]);
  useEffect(() => {
    if (turn > 0) void section.again();
  }, [turn]);
  const look = async () => {
    await section.change('again', async () => {});
    onChange();
  };
  const more = ({ data, nextCursor }: ListPage<WebhookDelivery>) =>
    section.extend('more', async () => {
      const next = await read(nextCursor ?? '');
      return { ...next, data: [...data, ...next.data] };
    });
  return (
    <SectionBox section={section} title="Deliveries" intro="The newest event first.">
      {(listed) => (
        <>
          <StateFilter state={state} apply={setState} />
          <div class="list-head">
            <p class="fine" role="status">
              {listed.total === 1 ? '1 delivery' : `${listed.total} deliveries`}
            </p>
            <ActionButton section={section} at="again" onAction={look}>
              Look again
            </ActionButton>
          </div>
          <TroubleAt section={section} at="again" />
          {listed.data.length === 0 && <NoDeliveries isAll={state === ''} />}
          <Causes shown={listed.data} />
          <ul class="rows">
            {listed.data.map((delivery) => (
              <DeliveryRow
                key={delivery.eventId}
                section={section}
                delivery={delivery}
                maySend={maySend}
                eventHref={eventAddress(clientId, delivery.eventId)}
              />
            ))}
          </ul>
          <TroubleAt section={section} at="more" />
          {listed.nextCursor && (
            <ActionButton section={section} at="more" onAction={() => more(listed)}>
              Show older deliveries
            </ActionButton>
          )}
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

type FilterProps = { readonly state: string; readonly apply: (wanted: string) => void };

const StateFilter = ({ state, apply }: FilterProps) => (
  <form
    class="form-filters"
    aria-label="What is shown"
    onSubmit={(event) => {
      event.preventDefault();
      apply(String(new FormData(event.currentTarget).get('state') ?? ''));
    }}
  >
    <div class="filters">
      <Select
        label="State"
        name="state"
        value={state}
        choices={{ '': 'Every state', ...stateNames }}
      />
    </div>
    <div class="ways">
      <Busy kind="second" type="submit">
        Show
      </Busy>
    </div>
  </form>
);

const NoDeliveries = ({ isAll }: { isAll: boolean }) => (
  <Empty title={isAll ? 'Nothing was delivered yet' : 'None in this state'}>
    <p>
      {isAll ? 'The next event comes here, and so does a test event.' : 'Choose another state.'}
    </p>
  </Empty>
);

type RowProps = {
  readonly section: Deliveries;
  readonly delivery: WebhookDelivery;
  readonly maySend: boolean;
  readonly eventHref: string;
};

const tagOf = {
  pending: 'tag',
  delivered: 'tag good',
  dead: 'tag soon',
  cancelled: 'tag',
} as const;

function DeliveryRow({ section, delivery, maySend, eventHref }: RowProps) {
  const { clientId } = useMerchant();
  const { eventId, eventType, state, attempts, redeliveries, nextAttemptAt } = delivery;
  const resend = () =>
    section.change(
      eventId,
      () =>
        call(
          'POST /v1/events/{eventId}/redeliver',
          { eventId, body: { endpointIds: [delivery.endpointId] } },
          { clientId },
        ),
      resentWords(1),
    );
  return (
    <li class="row">
      <div class="row-head">
        <a class="row-name" href={eventHref}>
          {eventType}
        </a>
        <span class={tagOf[state]}>{stateNames[state]}</span>
        {redeliveries > 0 && <span class="tag">Redelivery</span>}
      </div>
      <FactLine>
        <SaidAt said="Event of" at={delivery.createdAt} />
        {attempts === 1 ? '1 attempt' : `${attempts} attempts`}
        {state === 'pending' && nextAttemptAt && attempts > 0 && (
          <SaidAt said="Next one" at={nextAttemptAt} />
        )}
        {delivery.finishedAt && <SaidAt said="Ended" at={delivery.finishedAt} />}
      </FactLine>
      {hasFailed(delivery) && <p class="row-text">{outcomeWords(outcomeOf(delivery))}</p>}
      <TroubleAt section={section} at={eventId} />
      {maySend && state !== 'pending' && (
        <div class="ways">
          <ActionButton section={section} at={eventId} about={eventType} onAction={resend}>
            Send again
          </ActionButton>
        </div>
      )}
    </li>
  );
}
