// The merchant's own settings. Contract §3, Origins.

import { type Static, Type } from 'typebox';
import { row } from './row.ts';
import { component, input, instant, oneOf, uuid } from './schema.ts';

export const Client = component('Client', {
  id: uuid(),
  object: oneOf(['client']),
  name: Type.String(),
  livemode: Type.Boolean(),
  allowedOrigins: Type.Array(Type.String(), {
    description: 'Origins whose pages may call the browser routes and embed the card form.',
  }),
  createdAt: instant(),
  updatedAt: instant(),
});
export type Client = Static<typeof Client>;

export const getClient = row({
  spec: 'Contract §3, GET /v1/client',
  summary: "Reads the merchant's settings.",
  call: 'GET /v1/client',
  auth: 'server',
  scope: 'checkout:write',
  limit: 'client',
  input: {},
  answers: { 200: Client },
  refuses: ['insufficient_scope'],
  emits: [],
});

export const updateClient = row({
  spec: 'Contract §3, PATCH /v1/client',
  summary: "Replaces the merchant's allowed origins.",
  call: 'PATCH /v1/client',
  auth: 'server',
  scope: 'checkout:write',
  limit: 'client',
  asksRecentSignIn: true,
  input: {
    body: input({
      allowedOrigins: Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { maxItems: 50 }),
    }),
  },
  answers: { 200: Client },
  refuses: ['invalid_request', 'insufficient_scope', 'merchant_role_required'],
  emits: [],
});
