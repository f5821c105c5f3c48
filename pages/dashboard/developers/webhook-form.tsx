// The form of an endpoint: its address, its purpose, and the event types that it receives.

import type { WebhookEndpoint } from '@svc/contract/developers/webhook-endpoints';
import { type EventType, eventTypes } from '@svc/contract/rows/event-types';
import { useState } from 'preact/hooks';
import { CallFailure } from '../../kit/calls.ts';
import { Field, type Fields, Form } from '../../kit/parts/form.tsx';
import { Cancel } from '../../kit/parts/inputs.tsx';
import type { InputFor } from '../../kit/rows.ts';

/** The fields of a new or changed endpoint. */
export type EndpointWish = InputFor<'POST /v1/webhook-endpoints'>['body'];

type FormProps = {
  /** The endpoint to change; absent for a new one. */
  readonly endpoint?: WebhookEndpoint;
  readonly submit: string;
  readonly send: (wish: EndpointWish) => Promise<unknown>;
  readonly onCancel: () => void;
};

export function EndpointForm({ endpoint, submit, send, onCancel }: FormProps) {
  const [isLimited, setLimited] = useState(Boolean(endpoint?.eventTypes));
  const read = (fields: Fields): EndpointWish => ({
    url: fields('url').trim(),
    description: fields('description').trim() || null,
    eventTypes: isLimited ? typesIn(fields) : null,
  });
  return (
    <Form
      submit={submit}
      kind="second main"
      send={async (fields) => send(read(fields))}
      after={<Cancel onCancel={onCancel} />}
    >
      <Field
        label="Address"
        name="url"
        type="url"
        maxLength={2048}
        value={endpoint?.url ?? ''}
        hint="The address where your server receives deliveries, for example https://shop.example/webhooks."
        hasFocus
      />
      <Field
        label="Description"
        name="description"
        maxLength={255}
        value={endpoint?.description ?? ''}
        isOptional
      />
      <fieldset class="picks">
        <legend>Events</legend>
        <label>
          <input
            type="radio"
            name="limited"
            checked={!isLimited}
            onChange={() => setLimited(false)}
          />
          <span>
            All events<small>Including types that later versions add.</small>
          </span>
        </label>
        <label>
          <input
            type="radio"
            name="limited"
            checked={isLimited}
            onChange={() => setLimited(true)}
          />
          <span>Only what you choose</span>
        </label>
      </fieldset>
      {isLimited && <TypeChoice chosen={endpoint?.eventTypes ?? []} />}
    </Form>
  );
}

/** Without the test event, which its button sends to one endpoint whether or not it is subscribed. */
const offered = eventTypes.filter((type) => type !== 'webhook_endpoint.test');

const TypeChoice = ({ chosen }: { chosen: readonly string[] }) => (
  <fieldset class="picks hook-types">
    <legend>Types</legend>
    {offered.map((type) => (
      <label key={type}>
        <input type="checkbox" name={`type ${type}`} defaultChecked={chosen.includes(type)} />
        <code>{type}</code>
      </label>
    ))}
  </fieldset>
);

/** Returns the types that are ticked in a form. Throws CallFailure when there is none. */
function typesIn(fields: Fields): EventType[] {
  const chosen = offered.filter((type) => fields(`type ${type}`) === 'on');
  if (chosen.length > 0) return chosen;
  throw new CallFailure(422, { message: 'Choose at least one of the types.' });
}
