// The deliveries of one endpoint: where each stands, what went wrong, and sending again.

import type { WebhookDelivery, WebhookEndpoint } from '@svc/contract/webhook-endpoints';
import { useId, useMemo, useState } from 'preact/hooks';
import { CallFailure } from './calls.ts';
import { Act, Cancel, Empty, Facts, SectionBox, Select, TroubleAt, When } from './home-parts.tsx';
import { Section } from './home-section.ts';
import type { Listed } from './merchant-calls.ts';
import { Busy, type Fields, Form } from './parts.tsx';
import type { WebhookCalls } from './webhook-calls.ts';
import { OutcomeLine } from './webhook-parts.tsx';
import { stateNames } from './webhook-words.ts';

type Deliveries = Section<Listed<WebhookDelivery>>;

type SectionProps = {
  readonly clientId: string;
  readonly calls: WebhookCalls;
  readonly endpoint: WebhookEndpoint;
  readonly mayChange: boolean;
  /** Something was sent: how the endpoint fares may have changed. */
  readonly onChange: () => void;
};

const states = ['pending', 'delivered', 'dead', 'cancelled'] as const;
const stateIn = (search: string): string =>
  states.find((state) => state === new URLSearchParams(search).get('state')) ?? '';

/** The chosen state, kept in the address bar. */
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
  const { clientId, calls, endpoint, onChange } = props;
  const maySend = props.mayChange && endpoint.isEnabled;
  const [state, apply] = useStateFilter();
  const { id } = endpoint;
  const query = `limit=25${state ? `&state[eq]=${state}` : ''}`;
  const section = useMemo(() => new Section(() => calls.listDeliveries(id, query)), [id, query]);
  const look = async () => {
    await section.change('again', async () => {});
    onChange();
  };
  const more = ({ data, nextCursor }: Listed<WebhookDelivery>) =>
    section.extend('more', async () => {
      const onwards = `${query}&cursor=${encodeURIComponent(nextCursor ?? '')}`;
      const next = await calls.listDeliveries(id, onwards);
      return { ...next, data: [...data, ...next.data] };
    });
  return (
    <SectionBox section={section} title="Deliveries" intro="The newest event first.">
      {(listed) => (
        <>
          <StateFilter state={state} apply={apply} />
          <div class="audit-head">
            <p class="fine" role="status">
              {listed.total === 1 ? '1 delivery' : `${listed.total} deliveries`}
            </p>
            <Act section={section} at="again" onAct={look}>
              Look again
            </Act>
          </div>
          <TroubleAt section={section} at="again" />
          {listed.data.length === 0 && <NoDeliveries isAll={state === ''} />}
          <ul class="rows">
            {listed.data.map((delivery) => (
              <DeliveryRow
                key={delivery.eventId}
                section={section}
                delivery={delivery}
                calls={calls}
                maySend={maySend}
                eventHref={`/account/merchants/${clientId}/events/${delivery.eventId}`}
              />
            ))}
          </ul>
          <TroubleAt section={section} at="more" />
          {listed.nextCursor && (
            <Act section={section} at="more" onAct={() => more(listed)}>
              Show older deliveries
            </Act>
          )}
          {maySend && <Redelivery section={section} endpoint={endpoint} calls={calls} />}
        </>
      )}
    </SectionBox>
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
  readonly calls: WebhookCalls;
  readonly maySend: boolean;
  readonly eventHref: string;
};

const tagOf = {
  pending: 'tag',
  delivered: 'tag good',
  dead: 'tag soon',
  cancelled: 'tag',
} as const;

function DeliveryRow({ section, delivery, calls, maySend, eventHref }: RowProps) {
  const { eventId, eventType, state, attempts, redeliveries, nextAttemptAt } = delivery;
  const resend = () =>
    section.change(
      eventId,
      () => calls.redeliverEvent(eventId, [delivery.endpointId]),
      'The event is on its way again.',
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
      <Facts>
        <When said="Event of" at={delivery.createdAt} />
        {attempts === 1 ? '1 attempt' : `${attempts} attempts`}
        {state === 'pending' && nextAttemptAt && attempts > 0 && (
          <When said="Next one" at={nextAttemptAt} />
        )}
        {delivery.finishedAt && <When said="Ended" at={delivery.finishedAt} />}
      </Facts>
      {state !== 'delivered' && (
        <OutcomeLine outcome={{ status: delivery.lastStatus, error: delivery.lastError }} />
      )}
      <TroubleAt section={section} at={eventId} />
      {maySend && state !== 'pending' && (
        <div class="ways">
          <Act section={section} at={eventId} about={eventType} onAct={resend}>
            Send again
          </Act>
        </div>
      )}
    </li>
  );
}

type RedeliveryProps = Pick<RowProps, 'section' | 'calls'> & { readonly endpoint: WebhookEndpoint };

/** Everything of a span again, after an outage. */
function Redelivery({ section, endpoint, calls }: RedeliveryProps) {
  const [isOpen, open] = useState(false);
  const [sent, say] = useState('');
  const send = async (fields: Fields) => {
    const status: 'failed' | 'all' = fields('status') === 'all' ? 'all' : 'failed';
    const wish = { since: instantIn(fields('since')), status };
    const queued = await section.make('redeliver', () => calls.redeliver(endpoint.id, wish));
    open(false);
    say(queued === 1 ? '1 event is on its way again.' : `${queued} events are on their way again.`);
  };
  return (
    <div class="block-part">
      <h3>After an outage</h3>
      <p class={sent ? 'news' : 'unseen'} role="status">
        {sent}
      </p>
      {isOpen ? (
        <Form
          submit="Redeliver"
          kind="second main"
          send={send}
          after={<Cancel onCancel={() => open(false)} />}
        >
          <Since />
          <Select
            label="Which"
            name="status"
            value="failed"
            choices={{ failed: 'What was not delivered', all: 'All events' }}
            hint="Body and id stay the same, so a server that remembers ids does nothing twice."
          />
        </Form>
      ) : (
        <button type="button" class="second" onClick={() => open(true)}>
          Redeliver all failed since …
        </button>
      )}
    </div>
  );
}

/** A day ago, as such a field writes it: in this browser's own time. */
function yesterday(): string {
  const now = new Date(Date.now() - 86_400_000);
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function Since() {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>Events since</label>
      <input id={id} name="since" type="datetime-local" defaultValue={yesterday()} required />
    </div>
  );
}

function instantIn(local: string): string {
  const time = new Date(local);
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  throw new CallFailure(422, { message: 'Enter the day and the time.' });
}
