// The contract's part of the published types, written out as plain TypeScript: what
// src/contract-types.ts says by importing the contract, this says without it.

import { Product } from '@svc/contract/catalog/catalog';
import {
  CheckoutSession,
  CheckoutSessionStatus,
  CreateCheckoutSession,
  CreatedCheckoutSession,
} from '@svc/contract/checkout-sessions/checkout-sessions';
import { PaymentMethod } from '@svc/contract/customers/payment-methods';
import { ListedSubscription, Subscription } from '@svc/contract/customers/subscriptions';
import { ApiToken } from '@svc/contract/developers/api-tokens';
import { WebhookAttempt, WebhookEndpoint } from '@svc/contract/developers/webhook-endpoints';
import {
  ActivatedPaymentMethod,
  ApiTokenEventObject,
  CompletedCheckout,
  CompletedSetup,
  DeletedPaymentMethod,
  ExpiredCheckout,
  ForgottenCustomer,
  ItemPurchased,
  ReplacedPaymentMethod,
  UpdatedCustomer,
  WebhookEndpointEventObject,
} from '@svc/contract/events/event-objects';
import { eventKinds } from '@svc/contract/events/event-schemas';
import { Event } from '@svc/contract/events/events';
import { rows } from '@svc/contract/index';
import { Dispute, ListedDispute } from '@svc/contract/payments/disputes';
import { FraudWarning, PaymentReview } from '@svc/contract/payments/fraud-signals';
import { ListedPayment, Payment } from '@svc/contract/payments/payments';
import { RefundRequest } from '@svc/contract/payments/refund-requests';
import { eventTypes } from '@svc/contract/rows/event-types';
import type { RowShape } from '@svc/contract/rows/row';
import { Client } from '@svc/contract/settings/clients';
import { type Schema, typeText, writeTypes } from '../../tools/src/published-types.ts';

const named: Readonly<Record<string, unknown>> = {
  ActivatedPaymentMethod,
  ApiToken,
  CheckoutSession,
  Client,
  CompletedCheckout,
  CompletedSetup,
  CreateCheckoutSession,
  CreatedCheckoutSession,
  DeletedPaymentMethod,
  Dispute,
  Event,
  ExpiredCheckout,
  ForgottenCustomer,
  UpdatedCustomer,
  FraudWarning,
  ItemPurchased,
  ListedDispute,
  ListedPayment,
  ListedSubscription,
  Payment,
  PaymentMethod,
  PaymentReview,
  Product,
  RefundRequest,
  ReplacedPaymentMethod,
  Subscription,
  ApiTokenEventObject,
  WebhookEndpointEventObject,
  WebhookAttempt,
  WebhookEndpoint,
};

// A trusted server sees whole payments; rows of ids alone are for browsers.
const aliases: Readonly<Record<string, string>> = { PaymentListEntry: 'ListedPayment' };

/** What is sent, not answered: its words stay those that the service takes. */
const sent = ['CreateCheckoutSession'];

/** All declarations that src/contract-types.ts exports. */
export function writeContractTypes(): string {
  const definitions = Object.fromEntries(
    Object.entries(named).map(([name, schema]) => {
      const written = publishedSchema(schema, name);
      return [name, sent.includes(name) ? written : openChoices(written)];
    }),
  );
  // An event's data may have further fields, which our subset of JSON Schema cannot express.
  const event = definitions.Event?.properties;
  if (event) event.data = { $ref: 'EventData' };
  const status = openChoices(publishedSchema(CheckoutSessionStatus)).properties?.data;
  if (!status) throw new Error('The status answer has lost its data');
  return [
    'export type EventData = { object: Record<string, unknown>; isStartProof?: true; [more: string]: unknown };\n',
    '/** A word that a newer service may answer and this version does not list. */',
    'export type OtherWord = string & {};\n',
    writeTypes({
      EventType: { enum: [...eventTypes] },
      ...definitions,
      EventDataByType: eventData(),
      SessionStatus: status,
    }),
    `/** Every call of the API by method and path: what is sent, what is answered. */`,
    `export type Calls = {\n${serversRows.map(callText).join('\n')}\n};\n`,
    `/** The query and the filters of every list, by method and path. */`,
    `export type Lists = {\n${serversRows.flatMap(listText).join('\n')}\n};\n`,
  ].join('\n');
}

function eventData(): Schema {
  const properties = Object.fromEntries(
    eventTypes.map((type) => [type, openChoices(publishedSchema(eventKinds[type].data))]),
  );
  const description = '`data` of an event of each type.';
  return { type: 'object', description, properties, required: [...eventTypes] };
}

/** What people's browsers alone may call is nothing for a server; `request` reads JSON, and no files. */
const serversRows = Object.values<RowShape>(rows).filter(
  ({ auth, isFile }) => auth !== 'person' && auth !== 'visitor' && !isFile,
);

function listText({ call, input, filters }: RowShape): string[] {
  if (!input.query || !filters) return [];
  const properties = Object.fromEntries(
    Object.entries(filters).map(([name, schema]) => [name, publishedSchema(schema)]),
  );
  const compared = { type: 'object', properties, required: Object.keys(properties) };
  const query = typeText(publishedSchema(input.query), '    ');
  const by = typeText(compared, '    ');
  return [`  ${JSON.stringify(call)}: {\n    query: ${query};\n    filters: ${by};\n  };`];
}

function callText(row: RowShape): string {
  const body = row.input.body ? typeText(publishedSchema(row.input.body), '    ') : 'undefined';
  const answers = Object.values(row.answers).map((answer) =>
    answer ? typeText(openChoices(publishedSchema(answer)), '    ') : 'undefined',
  );
  const answer = [...new Set(answers)].join(' | ');
  return `  ${JSON.stringify(row.call)}: {\n    body: ${body};\n    answer: ${answer};\n  };`;
}

/** The same with every choice of several words open. */
function openChoices(schema: Schema): Schema {
  const { enum: values = [], ...rest } = schema;
  if (values.filter((value) => typeof value === 'string').length > 1) {
    const { description, ...closed } = { ...rest, enum: values };
    return { ...(description ? { description } : {}), anyOf: [closed, { $ref: 'OtherWord' }] };
  }
  const parts = Object.entries(schema).map(([key, part]) => [key, openPart(key, part)]);
  return Object.fromEntries(parts) as Schema;
}

function openPart(key: string, part: unknown): unknown {
  if (key === 'properties') {
    const all = Object.entries(part as Record<string, Schema>);
    return Object.fromEntries(all.map(([name, property]) => [name, openChoices(property)]));
  }
  if (key === 'items' || key === 'additionalProperties') {
    return typeof part === 'object' ? openChoices(part as Schema) : part;
  }
  return key === 'anyOf' || key === 'allOf' ? (part as Schema[]).map(openChoices) : part;
}

/** A schema without refusal codes and forbidden fields, with a $ref for each named part. */
function publishedSchema(schema: unknown, own?: string): Schema {
  return walkSchema(structuredClone(schema), own) as Schema;
}

function walkSchema(value: unknown, own?: string): unknown {
  if (Array.isArray(value)) return value.map((one) => walkSchema(one));
  if (typeof value !== 'object' || value === null) return value;
  const {
    'x-name': name,
    'x-code': _code,
    'x-ops': _ops,
    properties,
    ...rest
  } = value as Record<string, unknown>;
  const alias = typeof name === 'string' ? (aliases[name] ?? name) : undefined;
  if (alias !== undefined && alias !== own && alias in named) return { $ref: alias };
  const kept = Object.entries((properties ?? {}) as Record<string, object>).flatMap(
    ([key, property]) => ('not' in property ? [] : [[key, walkSchema(property)] as const]),
  );
  const more = Object.entries(rest).map(([key, part]) => [key, walkSchema(part)] as const);
  return {
    ...Object.fromEntries(more),
    ...(kept.length > 0 ? { properties: Object.fromEntries(kept) } : {}),
  };
}
