// The OpenAPI 3.1 document, written from the rows of the contract.

import { STATUS_CODES } from 'node:http';
import { deletionReasons, deletionResolutions } from '@svc/contract/customers/payment-methods';
import { errorType } from '@svc/contract/errors/error-types';
import { type ErrorCode, errorEntry } from '@svc/contract/errors/errors';
import { holdersInWords, roles, rolesWith } from '@svc/contract/rows/roles';
import { type Auth, operatorsOf, type RowShape } from '@svc/contract/rows/row';
import type { Mode } from '@svc/contract/servers/modes';
import { version } from '@svc/contract/version';
import { Refusal } from '../../domain/protocol/refusal.ts';
import type { RowTable } from '../rows/api.ts';
import { commonRefusals, refusalsOf } from '../rows/refusals.ts';
import { errorAnswer } from '../wire/errors.ts';
import { exampleAnswer, exampleBody } from './example.ts';
import { Components, type Json } from './openapi-json.ts';
import { sectionDescriptions, sectionOf } from './openapi-sections.ts';
import { webhookParameters, webhookResponses, webhooksOf } from './openapi-webhooks.ts';

const security: Readonly<Record<Auth, readonly Json[]>> = {
  server: [{ clientBasic: [] }, { bearer: [] }],
  bearer: [{ bearer: [] }],
  session: [{ sessionToken: [] }],
  'server-or-session': [{ clientBasic: [] }, { bearer: [] }, { sessionToken: [] }],
  anyone: [{}, { clientBasic: [] }, { bearer: [] }],
  'customer-page': [{ customerPageToken: [] }],
  person: [{ signIn: [] }],
  visitor: [{}],
};

/** A nonce may come with the merchant's credential, which vouches for the buyer. Contract §3. */
const vouching: readonly Json[] = [
  { sessionToken: [] },
  { sessionToken: [], clientBasic: [] },
  { sessionToken: [], bearer: [] },
];

/**
 * Describes a filter as one parameter `field[op]=value`, or as one parameter per operator when the
 * field's own name is already a parameter.
 */
function filterParameters(
  name: string,
  { value, ops, isNamed }: { value: Json; ops: readonly string[]; isNamed: boolean },
): Parameter[] {
  const schemaOf = (op: string): Json => (op === 'in' ? { type: 'string' } : value);
  const description = `Filter: \`${name}[op]=value\`; \`in\` takes values separated by commas.`;
  if (isNamed) {
    return ops.map((op) => ({
      name: `${name}[${op}]`,
      in: 'query',
      description,
      schema: schemaOf(op),
    }));
  }
  const properties = Object.fromEntries(ops.map((op) => [op, schemaOf(op)]));
  const schema = { type: 'object', properties, additionalProperties: false };
  return [{ name, in: 'query', style: 'deepObject', explode: true, description, schema }];
}

type Parameter = Json & { readonly name: string };
type Part = { readonly properties: Json; readonly required?: readonly string[] };

function parameters(row: RowShape, components: Components): Json[] {
  const parametersIn = (place: 'path' | 'query' | 'header', schema: unknown): Parameter[] => {
    const { properties = {}, required = [] } = (schema ?? {}) as Partial<Part>;
    return Object.entries(properties).map(([name, property]) => {
      const { description, default: fallback } = property as Json;
      return {
        name,
        in: place,
        // A field with a default is filled in when it is missing.
        required: place === 'path' || (required.includes(name) && fallback === undefined),
        ...(description === undefined ? {} : { description }),
        schema: components.reference(property),
      };
    });
  };
  const named = Object.keys(row.input.query?.properties ?? {});
  const filters = Object.entries(row.filters ?? {}).flatMap(([name, schema]) =>
    filterParameters(name, {
      value: components.reference(schema),
      ops: operatorsOf(schema),
      isNamed: named.includes(name),
    }),
  );
  const key =
    row.idempotent || row.createsOnce
      ? [
          {
            name: 'Idempotency-Key',
            in: 'header',
            required: row.idempotent === true,
            description: row.createsOnce
              ? "With the merchant's credential: the same key and body create once, and a repeat within a day gets the same answer."
              : 'One stable key per logical operation, 1 to 255 printable ASCII characters.',
            schema: { type: 'string', minLength: 1, maxLength: 255 },
          },
        ]
      : [];
  return [
    ...parametersIn('path', row.input.path),
    ...key,
    ...parametersIn('header', row.input.headers),
    ...parametersIn('query', row.input.query),
    ...filters,
  ].map((parameter) => components.parameter(parameter));
}

/** Returns every code that a call may get: its own and those of HTTP handling. */
export function codesOf(row: RowShape): ErrorCode[] {
  const isCredentialAsked = row.auth !== 'session' && row.auth !== 'customer-page';
  const wire = [...commonRefusals].filter((code) => {
    if (code === 'authentication_required') return isCredentialAsked;
    if (code === 'insufficient_scope') return row.scope !== null || row.tokenScope !== undefined;
    if (
      [
        'body_too_large',
        'raw_card_data_forbidden',
        'unsupported_media_type',
        'invalid_body',
      ].includes(code)
    ) {
      // A call that takes no body may still be sent one.
      return row.input.body !== undefined || !row.call.startsWith('GET ');
    }
    return !['route_not_found', 'method_not_allowed'].includes(code);
  });
  return [...new Set([...refusalsOf(row), ...wire])];
}

/** `Bad Request` -> `BadRequest`. */
const responseName = (status: number): string =>
  (STATUS_CODES[status] ?? String(status)).replace(/\W/g, '');

function errorResponses(
  row: RowShape,
  { components, baseUrl }: { components: Components; baseUrl: string },
): Json {
  const byStatus = Map.groupBy(codesOf(row), (code) => errorEntry(code).status);
  const sorted = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(
    sorted.map(([status, codes]) => [
      String(status),
      components.response(responseName(status), {
        description: codes.map((code) => `\`${code}\`: ${errorEntry(code).message}`).join('\n\n'),
        headers: {
          'Request-Id': { $ref: '#/components/headers/RequestId' },
          ...(codes.some((code) => errorEntry(code).retryAfter !== undefined)
            ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }
            : {}),
        },
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Error' },
            examples: Object.fromEntries(
              codes.map((code) => [
                code,
                components.example(code, () => errorExample(code, baseUrl)),
              ]),
            ),
          },
        },
      }),
    ]),
  );
}

export const errorExample = (code: ErrorCode, baseUrl: string): Json =>
  errorAnswer(new Refusal(code), { requestId: 'req_01JA8ZC4T7N3V5X9QG2M6R0BKD', baseUrl }).body;

function answerSchemas(row: RowShape, components: Components): Json {
  return Object.fromEntries(
    Object.entries(row.answers).map(([status, schema]) => [
      status,
      {
        description: status === '202' ? 'Accepted; not settled yet.' : 'Success.',
        headers: {
          'Request-Id': { $ref: '#/components/headers/RequestId' },
          ...(row.idempotent || row.createsOnce
            ? { 'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' } }
            : {}),
        },
        ...(schema === null
          ? {}
          : {
              content: {
                [row.isFile ? 'text/csv' : 'application/json']: {
                  schema: components.reference(schema),
                  example: exampleAnswer(row, schema),
                },
              },
            }),
      },
    ]),
  );
}

function scopeNote({ scope, tokenScope }: RowShape): string {
  if (tokenScope !== undefined) return `An API token with scopes needs \`${tokenScope}\`.`;
  return scope === null ? '' : `A token with scopes needs \`${scope}\`.`;
}

function roleNote({ permission }: RowShape): string {
  if (permission === null || rolesWith(permission).length === roles.length) return '';
  return `Asks for the role ${holdersInWords(permission)}.`;
}

function operation(
  name: string,
  row: RowShape,
  context: { components: Components; baseUrl: string },
): Json {
  const { components } = context;
  const { body } = row.input;
  const notes = [
    `Specification: ${row.spec}.`,
    scopeNote(row),
    roleNote(row),
    row.asksRecentSignIn ? 'A browser must have signed in within 15 minutes.' : '',
    row.emits.length === 0 ? '' : `Emits ${row.emits.map((type) => `\`${type}\``).join(', ')}.`,
  ];
  return {
    operationId: name,
    summary: row.summary,
    description: notes.filter(Boolean).join(' '),
    tags: [sectionOf(row)],
    security: row.vouches ? vouching : security[row.auth],
    parameters: parameters(row, components),
    ...(body
      ? {
          requestBody: {
            required: !row.idempotent,
            content: {
              'application/json': { schema: components.reference(body), example: exampleBody(row) },
            },
          },
        }
      : {}),
    responses: { ...answerSchemas(row, components), ...errorResponses(row, context) },
  };
}

/** Names bodies and answers after their operations; an answer that several share, after the one that reads it. */
function nameParts(rows: RowTable, components: Components): void {
  const named = Object.entries(rows).map(
    ([name, row]) => [name.charAt(0).toUpperCase() + name.slice(1), row] as const,
  );
  const reading = named.filter(([name]) => /^(?:Get|List)/.test(name));
  for (const [name, row] of [...reading, ...named]) {
    for (const [status, schema] of Object.entries(row.answers)) {
      if (schema) components.name(schema, `${name}Answer${status === '200' ? '' : status}`);
    }
    if (row.input.body) components.name(row.input.body, `${name}Body`);
  }
}

const errorSchema = (codes: readonly ErrorCode[]): Json => ({
  type: 'object',
  description: 'Every failure. Some codes add fields of their own.',
  required: ['type', 'code', 'message', 'status', 'requestId', 'retryable', 'docUrl'],
  properties: {
    type: {
      type: 'string',
      enum: [...new Set(codes.map((code) => errorType(errorEntry(code).status)))],
    },
    code: {
      type: ['string', 'null'],
      enum: [...codes.filter((code) => !errorEntry(code).isUnnamed), null],
    },
    message: { type: 'string' },
    status: { type: 'integer' },
    requestId: { type: 'string' },
    retryable: {
      type: 'boolean',
      description: 'The same request may succeed later without a change.',
    },
    param: { type: 'string', description: 'The offending field.' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'code', 'message'],
        properties: {
          path: { type: 'string' },
          code: { type: 'string' },
          message: { type: 'string' },
          id: {
            type: 'string',
            format: 'uuid',
            description:
              'Id of the object that prevents the call, for customer_in_use and checkout_session_reference_taken.',
          },
          state: { type: 'string', description: 'State of that object.' },
        },
      },
    },
    declineCode: { type: ['string', 'null'] },
    advice: { type: 'string' },
    reason: { type: 'string', enum: [...deletionReasons] },
    retrySafe: {
      type: 'boolean',
      description: 'False only while nobody can tell whether a removal took effect.',
    },
    resolution: { type: 'string', enum: [...deletionResolutions] },
    payment: { type: 'object', description: 'The payment as it is now, for payment_changed.' },
    preparedPercent: {
      type: 'integer',
      description: 'How much of the search is prepared, for search_being_prepared.',
    },
    docUrl: { type: 'string' },
  },
});

export type OpenapiOptions = {
  readonly rows: RowTable;
  readonly baseUrl: string;
  readonly mode: Mode;
};

const infoOf = (baseUrl: string): Json => ({
  title: 'Svc API',
  version,
  description: 'Payments: checkout sessions, holds, captures and the events that tell of them.',
  contact: { name: 'The documentation of this service', url: `${baseUrl}/docs` },
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
});

/** Returns the whole public API as OpenAPI 3.1. */
export function openApi({ rows, baseUrl, mode }: OpenapiOptions): Json {
  const components = new Components();
  nameParts(rows, components);
  const paths: Record<string, Json> = {};
  for (const [name, row] of Object.entries(rows)) {
    const [method = '', path = ''] = row.call.split(' ');
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: operation(name, row, { components, baseUrl }),
    };
  }
  const webhooks = webhooksOf(components);
  const codes = [...new Set(Object.values(rows).flatMap(codesOf))].sort();
  const header = (description: string) => ({ description, schema: { type: 'string' } });
  return {
    openapi: '3.1.0',
    info: infoOf(baseUrl),
    servers: [
      { url: baseUrl, description: { sandbox: 'Sandbox', test: 'Test mode', live: 'Live' }[mode] },
    ],
    tags: [...new Set(Object.values(rows).map(sectionOf))].map((name) => ({
      name,
      description: sectionDescriptions[name],
    })),
    paths,
    webhooks,
    components: {
      schemas: { Error: errorSchema(codes), ...components.schemas },
      parameters: { ...components.parameters, ...webhookParameters },
      responses: { ...components.responses, ...webhookResponses },
      examples: components.examples,
      headers: {
        RequestId: header('Names this request in the logs; quote it when you ask.'),
        RetryAfter: header('Seconds to wait before the next try.'),
        IdempotentReplayed: header(
          '`true` when the answer is the stored one of an earlier request.',
        ),
      },
      securitySchemes: {
        clientBasic: {
          type: 'http',
          scheme: 'basic',
          description: 'Client id and API token. On servers only.',
        },
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'Access token of the OAuth server: /.well-known/oauth-authorization-server.',
        },
        signIn: {
          type: 'apiKey',
          in: 'cookie',
          name: 'svc_sign_in',
          description: 'Set when a person signs in, for our own pages only.',
        },
        sessionToken: {
          type: 'apiKey',
          in: 'header',
          name: 'x-checkout-session-token',
          description: 'The nonce of one checkout session.',
        },
        customerPageToken: {
          type: 'apiKey',
          in: 'header',
          name: 'x-customer-page-token',
          description: "The token of an opened customer's page.",
        },
      },
    },
  };
}
