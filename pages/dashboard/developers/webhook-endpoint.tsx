// One webhook endpoint: its settings, its state, and all actions on it.

import type { WebhookAttempt, WebhookEndpoint } from '@svc/contract/developers/webhook-endpoints';
import { useMemo, useState } from 'preact/hooks';
import { addressOf } from '../../kit/addresses.ts';
import { call } from '../../kit/calls.ts';
import { useMerchant } from '../../kit/merchant.ts';
import { ActionButton } from '../../kit/parts/action-button.tsx';
import { Tag } from '../../kit/parts/bits.tsx';
import { Block } from '../../kit/parts/facts.tsx';
import { type Fields, Form } from '../../kit/parts/form.tsx';
import { Cancel, Select } from '../../kit/parts/inputs.tsx';
import { SectionBox, TroubleAt } from '../../kit/parts/section-box.tsx';
import { FactLine, SaidAt } from '../../kit/parts/time.tsx';
import { goTo } from '../../kit/router.ts';
import { Section } from '../../kit/section.ts';
import { DeliveriesList } from './webhook-deliveries.tsx';
import { EndpointForm, type EndpointWish } from './webhook-form.tsx';
import { EndpointSecret, endpointState, OutcomeLine } from './webhook-parts.tsx';
import { Redelivery } from './webhook-redelivery.tsx';
import { describeTrouble, faultHint, faultNames, outcomeWords } from './webhook-words.ts';
import { typesWords, type WebhooksProps } from './webhooks.tsx';

type PageProps = WebhooksProps & { readonly endpointId: string };
type Endpoint = Section<WebhookEndpoint>;

export function EndpointSections({ clientId, endpointId, mayChange, isSandbox }: PageProps) {
  const section = useMemo(
    () =>
      new Section(() => call('GET /v1/webhook-endpoints/{id}', { id: endpointId }, { clientId })),
    [endpointId],
  );
  const [turn, setTurn] = useState(0);
  const list = addressOf(clientId, 'webhooks');
  const onSent = () => setTurn((was) => was + 1);
  const onResent = async (text: string) => {
    onSent();
    await section.again();
    section.news.value = { text };
  };
  const endpoint = section.content.value;
  return (
    <>
      <p class="fine way-back">
        <a href={list}>All endpoints</a>
      </p>
      <SectionBox section={section}>
        {(read) => (
          <>
            <EndpointFacts endpoint={read} />
            {mayChange && <Actions {...{ section, endpoint: read, list, onSent }} />}
          </>
        )}
      </SectionBox>
      {endpoint && (
        <DeliveriesList endpoint={endpoint} turn={turn} onSent={(text) => void onResent(text)} />
      )}
      {endpoint && mayChange && isSandbox && (
        <Block title="Faults on purpose">
          <Faults section={section} endpoint={endpoint} />
        </Block>
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
        <Tag words={endpointState(endpoint)} />
      </div>
      {trouble && (
        <div class="hook-trouble">
          <strong>{trouble.what}</strong>{' '}
          {endpoint.failingSince && <SaidAt said="Since" at={endpoint.failingSince} />}
          <p>{trouble.toDo}</p>
        </div>
      )}
      <FactLine>
        {endpoint.description}
        <span>
          {endpoint.eventTypes === null ? typesWords(null) : endpoint.eventTypes.join(', ')}
        </span>
        <span>Version {endpoint.apiVersion}</span>
        <SaidAt said="Added" at={endpoint.createdAt} />
        {endpoint.previousSecretUntil && (
          <SaidAt said="The old secret signs too until" at={endpoint.previousSecretUntil} />
        )}
      </FactLine>
    </>
  );
}

type ActionsProps = {
  readonly section: Endpoint;
  readonly endpoint: WebhookEndpoint;
  /** The address to go to after it was deleted. */
  readonly list: string;
};

type SendingProps = ActionsProps & {
  /** Called after something was sent, whatever came of it: the list of deliveries is another one. */
  readonly onSent: () => void;
};

type Secret = { readonly secret: string; readonly oldUntil: string | null };

function Actions({ section, endpoint, list, onSent }: SendingProps) {
  const { clientId } = useMerchant();
  const [open, setOpen] = useState<'edit' | 'rotate' | null>(null);
  const [secret, setSecret] = useState<Secret | null>(null);
  const [tested, setTested] = useState<WebhookAttempt | null>(null);
  const { id, url } = endpoint;
  const save = async (body: EndpointWish) => {
    const action = () => call('PATCH /v1/webhook-endpoints/{id}', { id, body }, { clientId });
    await section.make('edit', action, 'The endpoint is saved.');
    setOpen(null);
  };
  const rotate = async (fields: Fields) => {
    const body = { overlapSeconds: Number(fields('overlap')) };
    const action = () =>
      call('POST /v1/webhook-endpoints/{id}/rotate-secret', { id, body }, { clientId });
    const rotated = await section.make('rotate', action);
    setOpen(null);
    setSecret({ secret: rotated.secret, oldUntil: rotated.previousSecretUntil });
  };
  const test = async () => {
    await section.change('test', async () =>
      setTested(await call('POST /v1/webhook-endpoints/{id}/test', { id }, { clientId })),
    );
    onSent();
  };
  if (open === 'edit')
    return (
      <EndpointForm
        endpoint={endpoint}
        submit="Save endpoint"
        send={save}
        onCancel={() => setOpen(null)}
      />
    );
  if (open === 'rotate') {
    const oldUntil = endpoint.previousSecretUntil;
    return <RotateForm oldUntil={oldUntil} send={rotate} onCancel={() => setOpen(null)} />;
  }
  return (
    <>
      {secret && <EndpointSecret url={url} {...secret} onDone={() => setSecret(null)} />}
      <TroubleAt section={section} at="test" />
      {tested && <TestResult attempt={tested} />}
      <div class="ways">
        {endpoint.isEnabled && (
          <ActionButton section={section} at="test" onAction={test}>
            Send a test event
          </ActionButton>
        )}
        <ActionButton section={section} at="edit" onAction={() => setOpen('edit')}>
          Change
        </ActionButton>
        <ActionButton section={section} at="rotate" onAction={() => setOpen('rotate')}>
          New secret
        </ActionButton>
        <Redelivery {...{ section, endpoint, onSent }} />
        <Switches section={section} endpoint={endpoint} list={list} />
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
        <strong>Two secrets are in use.</strong> <SaidAt said="The older one until" at={oldUntil} />
        <p>If you make another secret, it stops at once. Wait if your server may still use it.</p>
      </div>
    )}
    <Select
      label="The current secret"
      name="overlap"
      value="86400"
      choices={overlaps}
      hint="Until then every delivery carries both signatures, so you can deploy the new secret without losing events."
    />
  </Form>
);

/** The buttons to disable, enable and delete the endpoint. */
function Switches({ section, endpoint, list }: ActionsProps) {
  const { clientId } = useMerchant();
  const { id, isEnabled } = endpoint;
  const switchEndpoint = () =>
    section.change(
      'switch',
      () =>
        call(
          'PATCH /v1/webhook-endpoints/{id}',
          { id, body: { isEnabled: !isEnabled } },
          { clientId },
        ),
      isEnabled ? 'The endpoint is disabled.' : 'The endpoint is enabled.',
    );
  const remove = async () => {
    const send = () => call('DELETE /v1/webhook-endpoints/{id}', { id }, { clientId });
    if (await section.change('switch', send)) goTo(list, { replaces: true });
  };
  return (
    <>
      {isEnabled ? (
        <ActionButton
          section={section}
          at="switch"
          onAction={switchEndpoint}
          question={{
            title: 'Disable this endpoint?',
            yes: 'Disable',
            no: 'Keep it',
            text: (
              <p>
                Waiting deliveries are cancelled, and new events are not sent until you enable it.
              </p>
            ),
          }}
        >
          Disable
        </ActionButton>
      ) : (
        <ActionButton section={section} at="switch" onAction={switchEndpoint}>
          Enable
        </ActionButton>
      )}
      <ActionButton
        section={section}
        at="switch"
        kind="quiet danger"
        onAction={remove}
        question={{
          title: 'Delete this endpoint?',
          yes: 'Delete',
          no: 'Keep it',
          text: (
            <p>
              Waiting deliveries are cancelled, and the secret stops working. This cannot be undone.
            </p>
          ),
        }}
      >
        Delete
      </ActionButton>
    </>
  );
}

type FaultsProps<T> = Pick<ActionsProps, 'endpoint'> & { readonly section: Section<T> };

/** Faults that a sandbox causes on purpose, so that a server can be tested against them. */
export function Faults<T>({ section, endpoint }: FaultsProps<T>) {
  const { clientId } = useMerchant();
  const save = async (fields: Fields) => {
    const testFault = (fields('fault') || null) as WebhookEndpoint['testFault'];
    const input = { id: endpoint.id, body: { testFault } };
    const action = () => call('PATCH /v1/webhook-endpoints/{id}', input, { clientId });
    await section.make('fault', action, `Deliveries now: ${faultNames[testFault ?? '']}.`);
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
