// The merchant's webhook endpoints: the addresses to which its events are delivered.

import type { WebhookEndpoint } from '@svc/contract/webhook-endpoints';
import { useMemo, useState } from 'preact/hooks';
import { addressOf } from '../../kit/addresses.ts';
import { call } from '../../kit/calls.ts';
import { Busy } from '../../kit/parts/form.tsx';
import { SectionBox } from '../../kit/parts/section-box.tsx';
import { Empty } from '../../kit/parts/states.tsx';
import { FactLine, SaidAt } from '../../kit/parts/time.tsx';
import type { AnswerFor } from '../../kit/rows.ts';
import { Section } from '../../kit/section.ts';
import { EndpointForm, type EndpointWish } from './webhook-form.tsx';
import { EndpointSecret, EndpointTag } from './webhook-parts.tsx';
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
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<ShownSecret | null>(null);
  const create = async (body: EndpointWish) => {
    const created = await section.make('create', () =>
      call('POST /v1/webhook-endpoints', { body }, { clientId }),
    );
    setMaking(false);
    setMade(created);
  };
  return (
    <SectionBox
      section={section}
      title="Webhook endpoints"
      intro="Addresses of your own servers. Each event is delivered there, signed, until it is taken."
    >
      {(endpoints) => (
        <>
          {made && <EndpointSecret {...made} oldUntil={null} onDone={() => setMade(null)} />}
          {endpoints.length === 0 && !isMaking && <NoEndpoints />}
          <ul class="rows">
            {endpoints.map((endpoint) => (
              <EndpointRow key={endpoint.id} endpoint={endpoint} clientId={clientId} />
            ))}
          </ul>
          {isMaking && (
            <EndpointForm submit="Add endpoint" send={create} onCancel={() => setMaking(false)} />
          )}
          {!isMaking && mayChange && (
            <Busy kind="second" onClick={() => setMaking(true)}>
              Add an endpoint
            </Busy>
          )}
        </>
      )}
    </SectionBox>
  );
}

const NoEndpoints = () => (
  <Empty title="No endpoint yet">
    <p>
      Without one your server hears of nothing: it would have to ask. Add the address of a handler
      that verifies deliveries and stores them.
    </p>
  </Empty>
);

type RowProps = { readonly endpoint: WebhookEndpoint; readonly clientId: string };

function EndpointRow({ endpoint, clientId }: RowProps) {
  const trouble = describeTrouble(endpoint);
  return (
    <li class="row">
      <div class="row-head">
        <a class="row-name" href={addressOf(clientId, 'webhooks', endpoint.id)}>
          {endpoint.url}
        </a>
        <EndpointTag endpoint={endpoint} />
      </div>
      {endpoint.description && <p class="row-text">{endpoint.description}</p>}
      <FactLine>
        {typesWords(endpoint.eventTypes)}
        <SaidAt said="Added" at={endpoint.createdAt} />
      </FactLine>
      {trouble && <p class="row-text">{trouble.what}</p>}
    </li>
  );
}

export const typesWords = (types: readonly string[] | null): string => {
  if (types === null) return 'All events';
  return types.length === 1 ? (types[0] ?? '') : `${types.length} types of events`;
};
