// A webhook receiver of the sandbox: shows the requests that it received and whether their signatures are
// valid. Contract §7.

import { type Static, Type } from 'typebox';
import { row } from '../rows/row.ts';
import { component, input, instant, nullable, oneOf } from '../rows/schema.ts';

const testerAnswers = ['ok', 'error', 'timeout', 'slow', 'gone'] as const;

export const WebhookTester = component('WebhookTester', {
  url: Type.String({ description: 'Whatever is sent there is kept, the newest 200 requests.' }),
  answer: oneOf(
    testerAnswers,
    'What it answers: 200; 500; nothing; 200 after 5 seconds; 410, which disables the endpoint.',
  ),
});
export type WebhookTester = Static<typeof WebhookTester>;

const signatureVerdicts = [
  'valid',
  'no_header',
  'malformed',
  'no_secret',
  'no_match',
  'too_old',
  'too_new',
] as const;

/** The check of one scheme's signature, as a receiver makes it. */
export const SignatureCheck = Type.Object({
  scheme: oneOf(['svc', 'standard']),
  verdict: oneOf(
    signatureVerdicts,
    '`no_secret`: no endpoint leads here. `no_match`: signed with another secret, or not these bytes.',
  ),
  timestamp: nullable(Type.Integer({ description: 'Unix seconds, as the header says.' })),
  ageSeconds: nullable(
    Type.Integer({ description: 'When it came; negative: signed ahead of it.' }),
  ),
  toleranceSeconds: Type.Integer(),
  signedPrefix: nullable(
    Type.String({ description: 'What is signed: this, and the body as it came.' }),
  ),
  candidates: Type.Array(
    Type.Object({
      value: Type.String({ description: 'A signature of the header.' }),
      isMatch: Type.Boolean(),
    }),
  ),
  secrets: Type.Array(
    Type.Object({
      endpointId: Type.String(),
      which: oneOf(['current', 'previous']),
      expected: Type.String({
        description:
          'The signature made with it. Where the header does not hold it, its beginning alone: the whole would be a signature for whoever sent the request.',
      }),
      isMatch: Type.Boolean(),
    }),
    { description: 'Secrets of the endpoints that lead here.' },
  ),
});
export type SignatureCheck = Static<typeof SignatureCheck>;

export const TesterRequest = component('TesterRequest', {
  number: Type.Integer({ description: 'Counts what the tester has received, from 1.' }),
  receivedAt: instant(),
  headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
    description: 'In the order and spelling in which they came.',
  }),
  body: Type.String({ description: 'Decoded as UTF-8.' }),
  answer: oneOf(testerAnswers, 'What it was answered.'),
  signatures: Type.Array(SignatureCheck),
});
export type TesterRequest = Static<typeof TesterRequest>;

export const getWebhookTester = row({
  spec: 'Contract §7, GET /v1/sandbox/webhook-tester',
  summary: "Reads the merchant's webhook tester, made when first read. Sandbox only.",
  call: 'GET /v1/sandbox/webhook-tester',
  auth: 'server',
  scope: 'webhooks:read',
  permission: 'developers.use',
  limit: 'client',
  input: {},
  answers: { 200: WebhookTester },
  refuses: ['route_not_found', 'insufficient_scope'],
  emits: [],
});

export const updateWebhookTester = row({
  spec: 'Contract §7, PATCH /v1/sandbox/webhook-tester',
  summary: 'Changes what the webhook tester answers. Sandbox only.',
  call: 'PATCH /v1/sandbox/webhook-tester',
  auth: 'server',
  scope: 'webhooks:write',
  permission: 'developers.write',
  limit: 'client',
  input: { body: input({ answer: oneOf(testerAnswers) }) },
  answers: { 200: WebhookTester },
  refuses: ['invalid_request', 'route_not_found', 'insufficient_scope', 'merchant_role_required'],
  emits: [],
});

export const getTesterRequests = row({
  spec: 'Contract §7, GET /v1/sandbox/webhook-tester/requests',
  summary: 'Lists what the webhook tester has received, newest first. Sandbox only.',
  call: 'GET /v1/sandbox/webhook-tester/requests',
  auth: 'server',
  scope: 'webhooks:read',
  permission: 'developers.use',
  limit: 'client',
  input: {
    query: Type.Object(
      {
        limit: Type.Integer({ minimum: 1, maximum: 50, default: 20, 'x-code': 'invalid_query' }),
        before: Type.Optional(
          Type.Integer({
            minimum: 1,
            description: 'Number of a request: those that came before it.',
            'x-code': 'invalid_query',
          }),
        ),
        after: Type.Optional(
          Type.Integer({
            minimum: 0,
            description: 'Number of a request: those that came after it.',
            'x-code': 'invalid_query',
          }),
        ),
      },
      { additionalProperties: false, 'x-code': 'invalid_query' },
    ),
  },
  answers: {
    200: Type.Object({
      data: Type.Array(TesterRequest),
      total: Type.Integer({ description: 'How many are kept.' }),
    }),
  },
  refuses: ['invalid_query', 'route_not_found', 'insufficient_scope'],
  emits: [],
});

export const deleteTesterRequests = row({
  spec: 'Contract §7, DELETE /v1/sandbox/webhook-tester/requests',
  summary: 'Forgets what the webhook tester has received. Sandbox only.',
  call: 'DELETE /v1/sandbox/webhook-tester/requests',
  auth: 'server',
  scope: 'webhooks:write',
  permission: 'developers.write',
  limit: 'client',
  input: {},
  answers: { 204: null },
  refuses: ['route_not_found', 'insufficient_scope', 'merchant_role_required'],
  emits: [],
});
