// The sandbox's webhook tester: the endpoint that delivers to it, its response, and the requests as they
// arrive.

import type { WebhookEndpoint } from '@svc/contract/webhook-endpoints';
import type { WebhookTester } from '@svc/contract/webhook-tester';
import { useEffect, useMemo } from 'preact/hooks';
import { Section } from '../../kit/home-section.ts';
import {
  Act,
  CopyButton,
  Empty,
  SectionBox,
  Select,
  TroubleAt,
} from '../../kit/parts/home-parts.tsx';
import { Busy, type Fields, Form } from '../../kit/parts/parts.tsx';
import { endpointAddress } from '../frame/sections.ts';
import { type TesterRequests, WebhookCalls } from './webhook-calls.ts';
import { Faults, testedWords } from './webhook-endpoint.tsx';
import { EndpointTag } from './webhook-parts.tsx';
import { ReceivedRow } from './webhook-received.tsx';
import { answerHint, answerNames, describeTrouble } from './webhook-words.ts';
import type { WebhooksProps } from './webhooks.tsx';

type Setup = WebhookTester & {
  /** The endpoints whose address is this tester's. */
  readonly endpoints: readonly WebhookEndpoint[];
};

export function TesterSections({ clientId, mayChange }: WebhooksProps) {
  const calls = useMemo(() => new WebhookCalls(clientId), [clientId]);
  const setup = useMemo(
    () =>
      new Section<Setup>(async () => {
        const [tester, all] = await Promise.all([calls.getTester(), calls.listEndpoints()]);
        return { ...tester, endpoints: all.filter(({ url }) => url === tester.url) };
      }),
    [calls],
  );
  const content = setup.content.value;
  return (
    <>
      <SectionBox
        section={setup}
        title="Webhook tester"
        intro="A receiver that this sandbox brings along. It takes whatever is sent to its address and shows it."
      >
        {(read) => <SetUp section={setup} setup={read} {...{ calls, clientId, mayChange }} />}
      </SectionBox>
      {content && <ReceivedRequests calls={calls} setup={content} mayChange={mayChange} />}
    </>
  );
}

type SetupProps = {
  readonly section: Section<Setup>;
  readonly setup: Setup;
  readonly calls: WebhookCalls;
  readonly clientId: string;
  readonly mayChange: boolean;
};

function SetUp(props: SetupProps) {
  const { section, setup, calls, mayChange } = props;
  const deliver = () =>
    section.change(
      'deliver',
      () =>
        calls.createEndpoint({ url: setup.url, description: 'Webhook tester', eventTypes: null }),
      'From now on your events are delivered to the tester too.',
    );
  const choose = async (fields: Fields) => {
    const answer = fields('answer') as WebhookTester['answer'];
    await section.make('answer', () => calls.chooseAnswer(answer), 'The tester’s answer is set.');
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
              ? 'One click makes an endpoint with this address. Its deliveries are the real ones.'
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
function Sender({ section, endpoint, calls, clientId, mayChange }: SenderProps) {
  const trouble = describeTrouble(endpoint);
  const { id } = endpoint;
  const test = async () => {
    let words = '';
    const isSent = await section.change('test', async () => {
      words = testedWords(await calls.sendTest(id));
    });
    if (isSent) section.news.value = { text: words };
  };
  const enable = () =>
    section.change(
      'enable',
      () => calls.updateEndpoint(id, { isEnabled: true }),
      'The endpoint is enabled.',
    );
  return (
    <div class="block-part">
      <div class="row-head">
        <a class="row-name" href={endpointAddress(clientId, id)}>
          Your endpoint that delivers here
        </a>
        <EndpointTag endpoint={endpoint} />
      </div>
      {trouble && <p class="row-text">{`${trouble.what} ${trouble.toDo}`}</p>}
      <TroubleAt section={section} at="test" />
      <TroubleAt section={section} at="enable" />
      {mayChange && (
        <div class="ways">
          {endpoint.isEnabled ? (
            <Act section={section} at="test" onAct={test}>
              Send a test event
            </Act>
          ) : (
            <Act section={section} at="enable" onAct={enable}>
              Enable
            </Act>
          )}
        </div>
      )}
      {mayChange && <Faults section={section} endpoint={endpoint} calls={calls} />}
    </div>
  );
}

const pollMs = 1500;
const shownAtOnce = 20;
/** The most requests that one call returns. */
const mostAtOnce = 50;

type ReceivedProps = {
  readonly calls: WebhookCalls;
  readonly setup: Setup;
  readonly mayChange: boolean;
};

function ReceivedRequests({ calls, setup, mayChange }: ReceivedProps) {
  const section = useMemo(
    () => new Section(() => calls.listRequests(`limit=${shownAtOnce}`)),
    [calls],
  );
  useNewRequests(section, calls);
  const older = ({ data }: TesterRequests) =>
    section.extend('older', async () => {
      const query = `limit=${shownAtOnce}&before=${data.at(-1)?.number ?? 1}`;
      const next = await calls.listRequests(query);
      return { ...next, data: [...data, ...next.data] };
    });
  const forget = () =>
    section.change('forget', () => calls.forgetRequests(), 'What came is forgotten.');
  return (
    <SectionBox section={section} title="Received" intro="The newest first; new ones appear here.">
      {(read) => (
        <>
          <div class="audit-head">
            <p class="fine" role="status">
              {read.total === 1 ? '1 request' : `${read.total} requests`}
            </p>
            {mayChange && read.total > 0 && (
              <Act section={section} at="forget" onAct={forget}>
                Forget them
              </Act>
            )}
          </div>
          <TroubleAt section={section} at="forget" />
          {read.data.length === 0 && (
            <Empty title="Nothing has come yet">
              <p>Send a test event, or pay something in this sandbox.</p>
            </Empty>
          )}
          <ul class="rows">
            {read.data.map((request) => (
              <ReceivedRow
                key={request.number}
                request={request}
                others={read.data}
                calls={calls}
                endpoints={setup.endpoints}
                mayChange={mayChange}
              />
            ))}
          </ul>
          <TroubleAt section={section} at="older" />
          {read.data.length < read.total && (
            <Act section={section} at="older" onAct={() => older(read)}>
              Show older ones
            </Act>
          )}
        </>
      )}
    </SectionBox>
  );
}

/** Reads new requests again and again while the page is shown. */
function useNewRequests(section: Section<TesterRequests>, calls: WebhookCalls): void {
  useEffect(() => {
    let isOver = false;
    const look = async () => {
      const shown = section.content.value;
      if (document.hidden || shown === null || section.work.value !== null) return;
      const newest = shown.data[0]?.number ?? 0;
      const read = await calls.listRequests(`limit=${mostAtOnce}&after=${newest}`);
      if (isOver || section.content.value !== shown || read.data.length === 0) return;
      // There may be more requests in between: the list is read from the start, so that it has no gap.
      if (read.data.length === mostAtOnce) return section.load();
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
