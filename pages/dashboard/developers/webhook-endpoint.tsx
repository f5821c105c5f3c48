// One webhook endpoint: its settings, its state, and all actions on it.

import type { WebhookAttempt, WebhookEndpoint } from '@svc/contract/webhook-endpoints';
import { useMemo, useState } from 'preact/hooks';
import { Section } from '../../kit/home-section.ts';
import {
  Act,
  AskDialog,
  Cancel,
  SaidAt,
  SectionBox,
  Select,
  Time,
  TroubleAt,
} from '../../kit/parts/home-parts.tsx';
import { type Fields, Form } from '../../kit/parts/parts.tsx';
import { goTo } from '../../kit/router.ts';
import { sectionAddress } from '../frame/sections.ts';
import { type EndpointChange, WebhookCalls } from './webhook-calls.ts';
import { DeliveriesSection } from './webhook-deliveries.tsx';
import { EndpointForm } from './webhook-form.tsx';
import { EndpointSecret, EndpointTag, OutcomeLine } from './webhook-parts.tsx';
import { Redelivery } from './webhook-redelivery.tsx';
import { describeTrouble, faultHint, faultNames, outcomeWords } from './webhook-words.ts';
import { typesWords, type WebhooksProps } from './webhooks.tsx';

type PageProps = WebhooksProps & { readonly endpointId: string };
type Endpoint = Section<WebhookEndpoint>;

export function EndpointSections({ clientId, endpointId, mayChange, isSandbox }: PageProps) {
  const calls = useMemo(() => new WebhookCalls(clientId), [clientId]);
  const section = useMemo(() => new Section(() => calls.getEndpoint(endpointId)), [endpointId]);
  const [turn, nextTurn] = useState(0);
  const list = sectionAddress(clientId, 'webhooks');
  return (
    <>
      <p class="fine way-back">
        <a href={list}>All endpoints</a>
      </p>
      <SectionBox section={section} title="Webhook endpoint">
        {(endpoint) => (
          <>
            <EndpointFacts endpoint={endpoint} />
            {mayChange && <Acts section={section} endpoint={endpoint} calls={calls} list={list} />}
            {mayChange && (
              <Redelivery
                section={section}
                endpoint={endpoint}
                calls={calls}
                onSent={() => nextTurn(turn + 1)}
              />
            )}
            {mayChange && isSandbox && (
              <Faults section={section} endpoint={endpoint} calls={calls} />
            )}
          </>
        )}
      </SectionBox>
      {section.content.value && (
        <DeliveriesSection
          clientId={clientId}
          calls={calls}
          endpoint={section.content.value}
          mayChange={mayChange}
          turn={turn}
          onChange={() => void section.load()}
        />
      )}
    </>
  );
}

function EndpointFacts({ endpoint }: { endpoint: WebhookEndpoint }) {
  const trouble = describeTrouble(endpoint);
  return (
    <>
      <div class="row-head hook-url">
        <span class="row-name">{endpoint.url}</span>
        <EndpointTag endpoint={endpoint} />
      </div>
      {endpoint.description && <p class="row-text">{endpoint.description}</p>}
      {trouble && (
        <div class="hook-trouble">
          <strong>{trouble.what}</strong>{' '}
          {endpoint.failingSince && <SaidAt said="Since" at={endpoint.failingSince} />}
          <p>{trouble.toDo}</p>
        </div>
      )}
      <dl class="pairs">
        <TermPair term="Events">
          {endpoint.eventTypes === null ? typesWords(null) : endpoint.eventTypes.join(', ')}
        </TermPair>
        <TermPair term="Version">{endpoint.apiVersion}</TermPair>
        <TermPair term="Added">
          <Time at={endpoint.createdAt} />
        </TermPair>
        {endpoint.previousSecretUntil && (
          <TermPair term="Old secret">
            <SaidAt said="Signs too until" at={endpoint.previousSecretUntil} />
          </TermPair>
        )}
      </dl>
    </>
  );
}

const TermPair = ({ term, children }: { term: string; children: preact.ComponentChildren }) => (
  <div>
    <dt>{term}</dt>
    <dd>{children}</dd>
  </div>
);

type ActsProps = {
  readonly section: Endpoint;
  readonly endpoint: WebhookEndpoint;
  readonly calls: WebhookCalls;
  /** The address to go to after it was deleted. */
  readonly list: string;
};

type Secret = { readonly secret: string; readonly oldUntil: string | null };

function Acts({ section, endpoint, calls, list }: ActsProps) {
  const [open, show] = useState<'edit' | 'rotate' | null>(null);
  const [secret, reveal] = useState<Secret | null>(null);
  const [tested, tell] = useState<WebhookAttempt | null>(null);
  const { id, url } = endpoint;
  const save = async (change: EndpointChange) => {
    await section.make('edit', () => calls.updateEndpoint(id, change), 'The endpoint is saved.');
    show(null);
  };
  const rotate = async (fields: Fields) => {
    const act = () => calls.rotateSecret(id, Number(fields('overlap')));
    const rotated = await section.make('rotate', act);
    show(null);
    reveal({ secret: rotated.secret, oldUntil: rotated.previousSecretUntil });
  };
  const test = () => section.change('test', async () => tell(await calls.sendTest(id)));
  if (open === 'edit')
    return (
      <EndpointForm
        endpoint={endpoint}
        submit="Save endpoint"
        send={save}
        onCancel={() => show(null)}
      />
    );
  if (open === 'rotate') {
    const oldUntil = endpoint.previousSecretUntil;
    return <RotateForm oldUntil={oldUntil} send={rotate} onCancel={() => show(null)} />;
  }
  return (
    <>
      {secret && <EndpointSecret url={url} {...secret} onDone={() => reveal(null)} />}
      <TroubleAt section={section} at="test" />
      {tested && <TestResult attempt={tested} />}
      <div class="ways">
        {endpoint.isEnabled && (
          <Act section={section} at="test" onAct={test}>
            Send a test event
          </Act>
        )}
        <Act section={section} at="edit" onAct={() => show('edit')}>
          Change
        </Act>
        <Act section={section} at="rotate" onAct={() => show('rotate')}>
          New secret
        </Act>
        <Switches section={section} endpoint={endpoint} calls={calls} list={list} />
      </div>
      <TroubleAt section={section} at="switch" />
    </>
  );
}

const TestResult = ({ attempt }: { attempt: WebhookAttempt }) => (
  <div class="hook-tested" role="status">
    <strong>
      {attempt.outcome === 'delivered' ? 'The test event arrived' : 'The test event failed'}
    </strong>
    <OutcomeLine outcome={attempt} />
    {attempt.response && <code class="code-line">{attempt.response}</code>}
    <p class="fine">It took {attempt.durationMs} ms. A test is never sent again.</p>
  </div>
);

const overlaps: Readonly<Record<string, string>> = {
  0: 'Stops at once',
  3600: 'Signs for an hour more',
  86400: 'Signs for a day more',
  604800: 'Signs for a week more',
};

type RotateProps = {
  /** The end of the overlap of two secrets, while there is one. */
  readonly oldUntil: string | null;
  readonly send: (fields: Fields) => Promise<unknown>;
  readonly onCancel: () => void;
};

const RotateForm = ({ oldUntil, send, onCancel }: RotateProps) => (
  <Form
    submit="Make a new secret"
    kind="second main"
    send={send}
    after={<Cancel onCancel={onCancel} />}
  >
    {oldUntil && (
      <div class="hook-trouble">
        <strong>Two secrets sign now.</strong> <SaidAt said="The older one until" at={oldUntil} />
        <p>Making another ends it at once. Wait if your server may still have it.</p>
      </div>
    )}
    <Select
      label="The secret that it has now"
      name="overlap"
      value="86400"
      choices={overlaps}
      hint="Meanwhile deliveries carry both signatures: time to put the new one into your server."
    />
  </Form>
);

/** The buttons to disable, enable and delete the endpoint. */
function Switches({ section, endpoint, calls, list }: ActsProps) {
  const [asked, ask] = useState<'disable' | 'delete' | null>(null);
  const { id, isEnabled } = endpoint;
  const switchEndpoint = (isOn: boolean) =>
    section.change(
      'switch',
      () => calls.updateEndpoint(id, { isEnabled: isOn }),
      isOn ? 'The endpoint is enabled.' : 'The endpoint is disabled.',
    );
  const answer = async (isYes: boolean) => {
    ask(null);
    if (!isYes) return;
    if (asked === 'disable') await switchEndpoint(false);
    else if (await section.change('switch', () => calls.deleteEndpoint(id))) {
      goTo(list, { replaces: true });
    }
  };
  return (
    <>
      {isEnabled ? (
        <Act section={section} at="switch" onAct={() => ask('disable')}>
          Disable
        </Act>
      ) : (
        <Act section={section} at="switch" onAct={() => switchEndpoint(true)}>
          Enable
        </Act>
      )}
      <Act section={section} at="switch" isDanger onAct={() => ask('delete')}>
        Delete
      </Act>
      {asked === 'disable' && (
        <AskDialog
          title="Disable this endpoint?"
          yes="Disable"
          no="Keep it"
          onAnswer={(isYes) => void answer(isYes)}
        >
          <p>What waits for it is cancelled, and nothing new is sent until it is enabled.</p>
        </AskDialog>
      )}
      {asked === 'delete' && (
        <AskDialog
          title="Delete this endpoint?"
          yes="Delete"
          no="Keep it"
          onAnswer={(isYes) => void answer(isYes)}
        >
          <p>What waits for it is cancelled, and its secret stops. It cannot be brought back.</p>
        </AskDialog>
      )}
    </>
  );
}

type FaultsProps<T> = Pick<ActsProps, 'endpoint' | 'calls'> & { readonly section: Section<T> };

/** Faults that a sandbox causes on purpose, so that a server can be tested against them. */
export function Faults<T>({ section, endpoint, calls }: FaultsProps<T>) {
  const save = async (fields: Fields) => {
    const testFault = (fields('fault') || null) as WebhookEndpoint['testFault'];
    const act = () => calls.updateEndpoint(endpoint.id, { testFault });
    await section.make('fault', act, `Deliveries now: ${faultNames[testFault ?? '']}.`);
  };
  return (
    <Form submit="Set the fault" kind="second" send={save}>
      <Select
        key={endpoint.testFault ?? ''}
        label="Deliver with a fault"
        name="fault"
        value={endpoint.testFault ?? ''}
        choices={faultNames}
        hint={faultHint}
      />
    </Form>
  );
}

export const testedWords = (attempt: WebhookAttempt): string =>
  attempt.outcome === 'delivered'
    ? 'The test event arrived.'
    : `The test event failed: ${outcomeWords(attempt) ?? 'no answer'}. It is not sent again.`;
