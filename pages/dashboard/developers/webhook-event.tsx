// One event: its payload, and each attempt to deliver it with request and response.

import type { WebhookAttempt, WebhookEndpoint } from '@svc/contract/developers/webhook-endpoints';
import type { Event } from '@svc/contract/events/events';
import { useMemo } from 'preact/hooks';
import { addressOf } from '../../kit/addresses.ts';
import { call, type ListPage } from '../../kit/calls.ts';
import { PagedRows, type RowSpec } from '../../kit/list/row-list.tsx';
import { useMerchant } from '../../kit/merchant.ts';
import { ActionButton } from '../../kit/parts/action-button.tsx';
import { type Fields, Form } from '../../kit/parts/form.tsx';
import { CopyButton, Select } from '../../kit/parts/inputs.tsx';
import { SectionBox } from '../../kit/parts/section-box.tsx';
import { FactLine, Time, timeFact } from '../../kit/parts/time.tsx';
import { Section } from '../../kit/section.ts';
import { HeaderLines, OutcomeLine, Payload } from './webhook-parts.tsx';
import { resentWords } from './webhook-words.ts';
import { listEndpoints } from './webhooks.tsx';

type Attempts = ListPage<WebhookAttempt> & { readonly endpoints: readonly WebhookEndpoint[] };

type PageProps = {
  readonly clientId: string;
  readonly eventId: string;
  readonly mayChange: boolean;
};

export function EventSections({ clientId, eventId, mayChange }: PageProps) {
  const event = useMemo(
    () => new Section(() => call('GET /v1/events/{eventId}', { eventId }, { clientId })),
    [eventId],
  );
  return (
    <>
      <p class="fine way-back">
        <a href={addressOf(clientId, 'events')}>All events</a>
      </p>
      <SectionBox section={event} title="Event">
        {(content) => <EventFacts event={content} />}
      </SectionBox>
      {event.content.value && <AttemptsSection {...{ eventId, mayChange }} />}
    </>
  );
}

const EventFacts = ({ event }: { event: Event }) => (
  <>
    <div class="row-head hook-url">
      <span class="row-name">{event.type}</span>
      {!event.livemode && <span class="tag">Sandbox</span>}
    </div>
    <p class="fine">
      <code>{event.id}</code> <CopyButton text={event.id} about="the event’s id" />
    </p>
    <FactLine>
      <Time at={event.timestamp} />
      {`Number ${event.sequence} of its ${event.resource.type.replaceAll('_', ' ')}`}
      {`Version ${event.apiVersion}`}
    </FactLine>
    <Payload text={JSON.stringify(event)} />
  </>
);

type AttemptsProps = Omit<PageProps, 'clientId'>;

const readAttempts = (clientId: string, eventId: string, cursor?: string) =>
  call('GET /v1/events/{eventId}/attempts', { eventId, limit: 25, cursor }, { clientId });

function useAttempts(clientId: string, eventId: string): Section<Attempts> {
  return useMemo(
    () =>
      new Section<Attempts>(async () => {
        const [listed, endpoints] = await Promise.all([
          readAttempts(clientId, eventId),
          listEndpoints(clientId),
        ]);
        return { ...listed, endpoints };
      }),
    [clientId, eventId],
  );
}

function AttemptsSection({ eventId, mayChange }: AttemptsProps) {
  const { clientId } = useMerchant();
  const section = useAttempts(clientId, eventId);
  return (
    <SectionBox
      section={section}
      title="Attempts"
      intro="Requests and answers, the newest first. Kept for 90 days."
    >
      {(read) => (
        <>
          <PagedRows
            spec={attemptsSpec}
            section={section}
            listed={read}
            readMore={
              read.nextCursor !== null &&
              (() => readAttempts(clientId, eventId, read.nextCursor ?? ''))
            }
          >
            <ActionButton
              section={section}
              at="again"
              onAction={() => section.change('again', async () => {})}
            >
              Look again
            </ActionButton>
          </PagedRows>
          {mayChange && (
            <SendAgain section={section} endpoints={read.endpoints} eventId={eventId} />
          )}
        </>
      )}
    </SectionBox>
  );
}

const attemptsSpec: RowSpec<WebhookAttempt> = {
  title: 'Attempts',
  noun: ['attempt', 'attempts'],
  keyOf: ({ endpointId, startedAt, attempt }) => `${endpointId} ${startedAt} ${attempt}`,
  nameOf: ({ request }) => request.url,
  tagsOf: ({ outcome, isRedelivery }) => [
    outcome === 'delivered'
      ? { text: 'Delivered', tone: 'good' }
      : { text: 'Failed', tone: 'soon' },
    isRedelivery && { text: 'Redelivery', tone: 'plain' },
  ],
  factsOf: ({ attempt, startedAt, durationMs }) => [
    `Attempt ${attempt}`,
    timeFact('Began', startedAt),
    `${durationMs} ms`,
  ],
  textOf: (attempt) => <AttemptText attempt={attempt} />,
  empty: {
    title: 'Not sent yet',
    text: (
      <p>No endpoint was subscribed when it happened, or the first delivery is still to come.</p>
    ),
  },
};

function AttemptText({ attempt }: { attempt: WebhookAttempt }) {
  const { request, response, status } = attempt;
  return (
    <>
      <OutcomeLine outcome={attempt} />
      <details class="opened">
        <summary>Request and answer</summary>
        <h3>Request</h3>
        <HeaderLines first={`POST ${request.url}`} lines={Object.entries(request.headers)} />
        <h3>Answer</h3>
        {response ? (
          <code class="code-line">{response}</code>
        ) : (
          <p class="fine">{status === null ? 'None came.' : 'The answer had no body text.'}</p>
        )}
      </details>
    </>
  );
}

type AgainProps = Omit<AttemptsProps, 'mayChange'> & {
  readonly section: Section<Attempts>;
  readonly endpoints: readonly WebhookEndpoint[];
};

function SendAgain({ section, endpoints, eventId }: AgainProps) {
  const { clientId } = useMerchant();
  const enabled = endpoints.filter(({ isEnabled }) => isEnabled);
  if (enabled.length === 0) return null;
  const send = async (fields: Fields) => {
    const chosen = fields('endpoint');
    const { deliveries } = await section.make('resend', () =>
      call(
        'POST /v1/events/{eventId}/redeliver',
        { eventId, body: chosen ? { endpointIds: [chosen] } : {} },
        { clientId },
      ),
    );
    section.news.value = { text: resentWords(deliveries) };
  };
  const choices = Object.fromEntries(enabled.map(({ id, url }) => [id, url]));
  return (
    <div class="block-part">
      <h3>Send it again</h3>
      <Form submit="Send again" kind="second" send={send}>
        <Select
          label="To"
          name="endpoint"
          choices={{ '': 'Every enabled endpoint that subscribes to it', ...choices }}
          hint="Body and id stay the same, and the delivery is labelled as a redelivery."
        />
      </Form>
    </div>
  );
}
