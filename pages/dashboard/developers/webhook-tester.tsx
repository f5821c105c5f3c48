// The sandbox's webhook tester: the endpoint that delivers to it, its response, and the requests as they
// arrive.

import type { WebhookEndpoint } from '@svc/contract/developers/webhook-endpoints';
import type { WebhookTester } from '@svc/contract/developers/webhook-tester';
import { useEffect, useMemo } from 'preact/hooks';
import { addressOf } from '../../kit/addresses.ts';
import { call } from '../../kit/calls.ts';
import { PagedRows } from '../../kit/list/row-list.tsx';
import { useMerchant } from '../../kit/merchant.ts';
import { ActionButton } from '../../kit/parts/action-button.tsx';
import { Tag } from '../../kit/parts/bits.tsx';
import { Busy, type Fields, Form } from '../../kit/parts/form.tsx';
import { CopyButton, Select } from '../../kit/parts/inputs.tsx';
import { SectionBox, TroubleAt } from '../../kit/parts/section-box.tsx';
import { Empty } from '../../kit/parts/states.tsx';
import type { AnswerFor, InputFor } from '../../kit/rows.ts';
import { Section } from '../../kit/section.ts';
import { Faults, testedWords } from './webhook-endpoint.tsx';
import { endpointState } from './webhook-parts.tsx';
import { requestsSpec } from './webhook-received.tsx';
import { answerHint, answerNames, describeTrouble } from './webhook-words.ts';
import { listEndpoints, type WebhooksProps } from './webhooks.tsx';

type Setup = WebhookTester & {
  /** The endpoints whose address is this tester's. */
  readonly endpoints: readonly WebhookEndpoint[];
};

export function TesterSections({ clientId, mayChange }: WebhooksProps) {
  const setup = useMemo(
    () =>
      new Section<Setup>(async () => {
        const [tester, all] = await Promise.all([
          call('GET /v1/sandbox/webhook-tester', {}, { clientId }),
          listEndpoints(clientId),
        ]);
        return { ...tester, endpoints: all.filter(({ url }) => url === tester.url) };
      }),
    [clientId],
  );
  const content = setup.content.value;
  return (
    <>
      <SectionBox
        section={setup}
        title="Webhook tester"
        intro="A receiver that is part of this sandbox. It accepts and shows everything sent to its address."
      >
        {(read) => <SetUp section={setup} setup={read} {...{ clientId, mayChange }} />}
      </SectionBox>
      {content && <ReceivedRequests setup={content} mayChange={mayChange} />}
    </>
  );
}

type SetupProps = {
  readonly section: Section<Setup>;
  readonly setup: Setup;
  readonly clientId: string;
  readonly mayChange: boolean;
};

function SetUp(props: SetupProps) {
  const { section, setup, clientId, mayChange } = props;
  const body = { url: setup.url, description: 'Webhook tester', eventTypes: null };
  const deliver = () =>
    section.change(
      'deliver',
      () => call('POST /v1/webhook-endpoints', { body }, { clientId }),
      'Your events are now also delivered to the tester.',
    );
  const choose = async (fields: Fields) => {
    const answer = fields('answer') as WebhookTester['answer'];
    const action = () =>
      call('PATCH /v1/sandbox/webhook-tester', { body: { answer } }, { clientId });
    await section.make('answer', action, 'The tester’s answer is saved.');
  };
  return (
    <>
      <p class="secret">
        <code>{setup.url}</code>
        <CopyButton text={setup.url} about="the tester’s address" />
      </p>
      {setup.endpoints.length === 0 && (
        <Empty title="Nothing is delivered here yet">
          <p>
            {mayChange
              ? 'One click creates an endpoint with this address. It receives real deliveries.'
              : 'An owner or admin can deliver your events here.'}
          </p>
        </Empty>
      )}
      <TroubleAt section={section} at="deliver" />
      {setup.endpoints.length === 0 && mayChange && (
        <Busy
          kind="second main"
          isBusy={section.work.value === 'deliver'}
          onClick={() => void deliver()}
        >
          Deliver my events to the tester
        </Busy>
      )}
      {setup.endpoints.map((endpoint) => (
        <Sender key={endpoint.id} {...props} endpoint={endpoint} />
      ))}
      {mayChange && (
        <Form submit="Set the answer" kind="second" send={choose}>
          <Select
            key={setup.answer}
            label="The tester answers"
            name="answer"
            value={setup.answer}
            choices={answerNames}
            hint={answerHint}
          />
        </Form>
      )}
    </>
  );
}

type SenderProps = SetupProps & { readonly endpoint: WebhookEndpoint };

/** The endpoint that delivers here, with the settings that matter for a test. */
function Sender({ section, endpoint, clientId, mayChange }: SenderProps) {
  const trouble = describeTrouble(endpoint);
  const { id } = endpoint;
  const test = async () => {
    let words = '';
    const isSent = await section.change('test', async () => {
      const attempt = await call('POST /v1/webhook-endpoints/{id}/test', { id }, { clientId });
      words = testedWords(attempt);
    });
    if (isSent) section.news.value = { text: words };
  };
  const enable = () =>
    section.change(
      'enable',
      () =>
        call('PATCH /v1/webhook-endpoints/{id}', { id, body: { isEnabled: true } }, { clientId }),
      'The endpoint is enabled.',
    );
  return (
    <div class="block-part">
      <div class="row-head">
        <a class="row-name" href={addressOf(clientId, 'webhooks', id)}>
          Your endpoint that delivers here
        </a>
        <Tag words={endpointState(endpoint)} />
      </div>
      {trouble && <p class="row-text">{`${trouble.what} ${trouble.toDo}`}</p>}
      <TroubleAt section={section} at="test" />
      <TroubleAt section={section} at="enable" />
      {mayChange && (
        <div class="ways">
          {endpoint.isEnabled ? (
            <ActionButton section={section} at="test" onAction={test}>
              Send a test event
            </ActionButton>
          ) : (
            <ActionButton section={section} at="enable" onAction={enable}>
              Enable
            </ActionButton>
          )}
        </div>
      )}
      {mayChange && <Faults section={section} endpoint={endpoint} />}
    </div>
  );
}

const pollMs = 1500;
const shownAtOnce = 20;
/** The most requests that one call returns. */
const mostAtOnce = 50;

const requests = 'GET /v1/sandbox/webhook-tester/requests';
type TesterRequests = AnswerFor<typeof requests>;
const listRequests = (clientId: string, which: InputFor<typeof requests>) =>
  call(requests, which, { clientId });

type ReceivedProps = {
  readonly setup: Setup;
  readonly mayChange: boolean;
};

function ReceivedRequests({ setup, mayChange }: ReceivedProps) {
  const { clientId } = useMerchant();
  const section = useMemo(
    () => new Section(() => listRequests(clientId, { limit: shownAtOnce })),
    [clientId],
  );
  useNewRequests(section, clientId);
  const older = ({ data }: TesterRequests) =>
    listRequests(clientId, { limit: shownAtOnce, before: data.at(-1)?.number ?? 1 });
  const forget = () =>
    section.change(
      'forget',
      () => call('DELETE /v1/sandbox/webhook-tester/requests', {}, { clientId }),
      'The list is cleared.',
    );
  return (
    <SectionBox section={section} title="Received" intro="The newest first; new ones appear here.">
      {(read) => (
        <>
          <PagedRows
            spec={requestsSpec({ others: read.data, endpoints: setup.endpoints, mayChange })}
            section={section}
            listed={read}
            readMore={read.data.length < read.total && (() => older(read))}
          >
            {mayChange && read.total > 0 && (
              <ActionButton section={section} at="forget" onAction={forget}>
                Forget them
              </ActionButton>
            )}
          </PagedRows>
          <TroubleAt section={section} at="forget" />
        </>
      )}
    </SectionBox>
  );
}

/** Reads new requests again and again while the page is shown. */
function useNewRequests(section: Section<TesterRequests>, clientId: string): void {
  useEffect(() => {
    let isOver = false;
    const look = async () => {
      const shown = section.content.value;
      if (document.hidden || shown === null || section.work.value !== null) return;
      const newest = shown.data[0]?.number ?? 0;
      const read = await listRequests(clientId, { limit: mostAtOnce, after: newest });
      if (isOver || section.content.value !== shown || read.data.length === 0) return;
      // There may be more requests in between: the list is read from the start, so that it has no gap.
      if (read.data.length === mostAtOnce) return section.again();
      section.content.value = { ...read, data: [...read.data, ...shown.data] };
    };
    const turn = () =>
      look()
        // The next read finds what this one missed.
        .catch(() => undefined)
        .then(() => {
          if (!isOver) timer = setTimeout(turn, pollMs);
        });
    let timer = setTimeout(turn, pollMs);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [section]);
}
