// The merchant's webhook endpoints: the addresses to which its events are delivered.

import type { WebhookEndpoint } from '@svc/contract/developers/webhook-endpoints';
import { useMemo, useState } from 'preact/hooks';
import { addressOf } from '../../kit/addresses.ts';
import { call } from '../../kit/calls.ts';
import { RowList, type RowSpec } from '../../kit/list/row-list.tsx';
import { SectionBox } from '../../kit/parts/section-box.tsx';
import { timeFact } from '../../kit/parts/time.tsx';
import type { AnswerFor } from '../../kit/rows.ts';
import { Section } from '../../kit/section.ts';
import { EndpointForm, type EndpointWish } from './webhook-form.tsx';
import { EndpointSecret, endpointState } from './webhook-parts.tsx';
import { describeTrouble } from './webhook-words.ts';

export type WebhooksProps = {
  readonly clientId: string;
  /** False for members with the plain role, who may only look. */
  readonly mayChange: boolean;
  readonly isSandbox: boolean;
};

/** A merchant has ten endpoints at most. */
export const listEndpoints = async (
  clientId: string,
): Promise<AnswerFor<'GET /v1/webhook-endpoints'>['data']> =>
  (await call('GET /v1/webhook-endpoints', { limit: 100 }, { clientId })).data;

type ShownSecret = { readonly url: string; readonly secret: string };

export function WebhooksSection({ clientId, mayChange }: WebhooksProps) {
  const section = useMemo(() => new Section(() => listEndpoints(clientId)), [clientId]);
  const [made, setMade] = useState<ShownSecret | null>(null);
  const create = async (body: EndpointWish) => {
    const created = await section.make('create', () =>
      call('POST /v1/webhook-endpoints', { body }, { clientId }),
    );
    setMade(created);
  };
  const addForm = (close: () => void) => (
    <EndpointForm
      submit="Add endpoint"
      send={async (wish) => {
        await create(wish);
        close();
      }}
      onCancel={close}
    />
  );
  return (
    <SectionBox
      section={section}
      title="Webhook endpoints"
      intro="Addresses of your own servers. Each event is signed and sent there until your server accepts it."
    >
      {(endpoints) => (
        <>
          {made && <EndpointSecret {...made} oldUntil={null} onDone={() => setMade(null)} />}
          <RowList
            spec={endpointsSpec(clientId)}
            section={section}
            rows={endpoints}
            add={mayChange && { label: 'Add an endpoint', form: addForm }}
          />
        </>
      )}
    </SectionBox>
  );
}

const endpointsSpec = (clientId: string): RowSpec<WebhookEndpoint> => ({
  title: 'Webhook endpoints',
  noun: ['endpoint', 'endpoints'],
  keyOf: ({ id }) => id,
  nameOf: ({ url }) => url,
  hrefOf: ({ id }) => addressOf(clientId, 'webhooks', id),
  tagsOf: (endpoint) => [endpointState(endpoint)],
  factsOf: ({ eventTypes, createdAt }) => [typesWords(eventTypes), timeFact('Added', createdAt)],
  textOf: (endpoint) => {
    const trouble = describeTrouble(endpoint);
    return (
      <>
        {endpoint.description && <p class="row-text">{endpoint.description}</p>}
        {trouble && <p class="row-text">{trouble.what}</p>}
      </>
    );
  },
  empty: {
    title: 'No endpoint yet',
    text: (
      <p>
        Without an endpoint your server is not told of events. Add the address of a handler that
        verifies and stores deliveries.
      </p>
    ),
  },
});

export const typesWords = (types: readonly string[] | null): string => {
  if (types === null) return 'All events';
  return types.length === 1 ? (types[0] ?? '') : `${types.length} types of events`;
};
