// One request that the webhook tester received: its content, whether a receiver should accept it, its
// differences from another request, and sending it again.

import type { WebhookEndpoint } from '@svc/contract/developers/webhook-endpoints';
import type { TesterRequest } from '@svc/contract/developers/webhook-tester';
import { msOf } from '@svc/contract/values/instants';
import { useId, useState } from 'preact/hooks';
import { call } from '../../kit/calls.ts';
import type { RowSpec } from '../../kit/list/row-list.tsx';
import { useMerchant } from '../../kit/merchant.ts';
import { Busy, useAction } from '../../kit/parts/form.tsx';
import { Trouble } from '../../kit/parts/states.tsx';
import type { Words } from '../../kit/words.ts';
import { HeaderLines, Payload, ScrollBox } from './webhook-parts.tsx';
import { diffLines, eventIn, firstOfEvent, prettyJson } from './webhook-payload.ts';
import { SignatureSteps } from './webhook-signature.tsx';
import { answeredWords, resentWords, verdictWords } from './webhook-words.ts';

type Given = {
  /** The requests with which one can be compared. */
  readonly others: readonly TesterRequest[];
  readonly endpoints: readonly WebhookEndpoint[];
  readonly mayChange: boolean;
};

const titleOf = ({ body }: TesterRequest) => eventIn(body).type ?? 'No event';

const isRedelivery = ({ headers }: TesterRequest) =>
  headers.some(({ name }) => /^svc-redelivery$/i.test(name));

const stateOf = ({ signatures }: TesterRequest): Words =>
  signatures.every((check) => verdictWords(check).isGood)
    ? { text: 'Signature valid', tone: 'good' }
    : { text: 'Signature not valid', tone: 'soon' };

export const requestsSpec = (given: Given): RowSpec<TesterRequest> => ({
  title: 'Received',
  noun: ['request', 'requests'],
  keyOf: ({ number }) => String(number),
  nameOf: titleOf,
  detailOf: (request) => <OpenedRequest request={request} {...given} />,
  tagsOf: (request) => [
    stateOf(request),
    isRedelivery(request) && { text: 'Redelivery', tone: 'plain' },
  ],
  factsOf: (request) => {
    const first = firstOfEvent(request, given.others);
    const { id } = eventIn(request.body);
    return [
      `No. ${request.number}`,
      <ExactTime key="at" at={request.receivedAt} />,
      answeredWords[request.answer],
      first !== null && <strong key="first">{`Same event as No. ${first}`}</strong>,
      id !== null && <code key="id">{id}</code>,
    ];
  },
  empty: {
    title: 'Nothing received yet',
    text: <p>Send a test event, or pay something in this sandbox.</p>,
  },
});

type RowProps = Given & { readonly request: TesterRequest };

const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/** A time with seconds: a repeat often comes after five seconds. */
const ExactTime = ({ at }: { at: string }) => (
  <time dateTime={at} title={at}>
    {exact.format(msOf(at))}
  </time>
);

function OpenedRequest({ request, others, endpoints, mayChange }: RowProps) {
  const path = endpoints[0] ? new URL(endpoints[0].url).pathname : '/webhook-tester/…';
  const headers = request.headers.map(({ name, value }) => [name, value] as const);
  return (
    <div class="hook-opened">
      <h3>Payload</h3>
      {request.body ? (
        <Payload text={request.body} />
      ) : (
        <p class="fine">The request had no body.</p>
      )}
      <h3>Headers</h3>
      <HeaderLines first={`POST ${path}`} lines={headers} />
      {request.signatures.map((check) => (
        <SignatureSteps key={check.scheme} check={check} body={request.body} />
      ))}
      <Comparison request={request} others={others} />
      {mayChange && <SendAgain request={request} endpoints={endpoints} />}
    </div>
  );
}

type AgainProps = Omit<RowProps, 'others' | 'mayChange'>;

function SendAgain({ request, endpoints }: AgainProps) {
  const { clientId } = useMerchant();
  const { id } = eventIn(request.body);
  const to = endpoints.filter(({ isEnabled }) => isEnabled).map((endpoint) => endpoint.id);
  const [said, setSaid] = useState('');
  const { run, isBusy, failure } = useAction(async () => {
    const { deliveries } = await call(
      'POST /v1/events/{eventId}/redeliver',
      { eventId: id ?? '', body: { endpointIds: to } },
      { clientId },
    );
    setSaid(resentWords(deliveries));
  });
  if (id === null || to.length === 0) return null;
  return (
    <>
      {failure && <Trouble hasFocus failure={failure} />}
      <div class="ways">
        <Busy kind="second" isBusy={isBusy} onClick={() => void run()}>
          Send this event again
        </Busy>
        <span class="copied" role="status">
          {said}
        </span>
      </div>
    </>
  );
}

const signs = { same: ' ', 'only-left': '−', 'only-right': '+' } as const;
const spoken = {
  same: '',
  'only-left': 'only in the other: ',
  'only-right': 'only here: ',
} as const;

function Comparison({ request, others }: Pick<RowProps, 'request' | 'others'>) {
  const id = useId();
  const [chosen, setChosen] = useState('');
  const choices = others.filter(({ number }) => number !== request.number);
  const other = choices.find(({ number }) => String(number) === chosen);
  if (choices.length === 0) return null;
  return (
    <>
      <h3>Differences</h3>
      <div class="field">
        <label for={id}>Compare with</label>
        <select id={id} onChange={(event) => setChosen(event.currentTarget.value)}>
          <option value="">Choose another request</option>
          {choices.map((each) => (
            <option key={each.number} value={each.number}>
              {`No. ${each.number}: ${titleOf(each)}`}
            </option>
          ))}
        </select>
      </div>
      {other && <Difference left={other.body} right={request.body} />}
    </>
  );
}

function Difference({ left, right }: { left: string; right: string }) {
  if (left === right) return <p class="row-text">The payloads are the same, byte for byte.</p>;
  const lines = diffLines(prettyJson(left) ?? left, prettyJson(right) ?? right);
  return (
    <ScrollBox label="Differences">
      {lines.map(({ kind, text }, place) => (
        <div key={place} class={`diff ${kind}`}>
          <span aria-hidden="true">{signs[kind]} </span>
          {spoken[kind] && <span class="unseen">{spoken[kind]}</span>}
          {text}
        </div>
      ))}
    </ScrollBox>
  );
}
