// The merchant's accounts at providers, and what a merchant needs before real money. Nothing of it is set here: the
// operator of the service adds accounts, and a step is done when the service sees it done. Additions §2.

import { type Static, Type } from 'typebox';
import { row } from '../rows/row.ts';
import { component, instant, nullable, oneOf, uuid } from '../rows/schema.ts';
import { modes } from '../servers/modes.ts';

const mode = () => oneOf(modes, 'Of the service. Only `live` moves real money.');

export const ProviderAccount = component('ProviderAccount', {
  id: uuid(),
  object: oneOf(['provider_account']),
  provider: oneOf(['cardprovider', 'wallet']),
  accountId: Type.String({ description: 'The account at the provider.' }),
  mode: mode(),
  livemode: Type.Boolean(),
  active: Type.Boolean({ description: 'False: it takes no new payments.' }),
  countries: Type.Array(Type.String(), {
    description: 'Of buyers whose payments it takes; empty: all that no other account names.',
  }),
  keys: Type.Object({
    status: oneOf(
      ['accepted', 'refused', 'untried'],
      '`refused`: since `refusedAt`, until the operator stores another key or checks this one.',
    ),
    refusedAt: nullable(instant('When the provider last refused the secret key.')),
    usedAt: nullable(
      instant('Up to when the service has read the account with them; null: not yet.'),
    ),
    checkedAt: nullable(instant('When somebody last had them checked; null: never.')),
  }),
  notices: Type.Object(
    {
      status: oneOf(
        ['arriving', 'missing', 'refused', 'none'],
        '`missing`: the service found notices at the provider that did not arrive since the last one. `refused`: they arrive, and their signature, account or mode is wrong. `none`: none arrived yet.',
      ),
      lastAt: nullable(instant('The last genuine one, to the minute.')),
      refused: Type.Integer({ description: 'Refused since the last genuine one.' }),
      refusedSince: nullable(instant()),
    },
    { description: 'The webhooks of the provider, which tell the service what happened there.' },
  ),
});
export type ProviderAccount = Static<typeof ProviderAccount>;

export const listProviderAccounts = row({
  spec: 'Additions §2, GET /v1/provider-accounts',
  summary: "Lists the merchant's accounts at providers, and whether keys and notices work.",
  call: 'GET /v1/provider-accounts',
  auth: 'server',
  scope: 'payments:read',
  permission: 'records.read',
  limit: 'client',
  input: {},
  answers: { 200: Type.Object({ data: Type.Array(ProviderAccount) }) },
  refuses: ['insufficient_scope'],
  emits: [],
});

export const checkProviderAccount = row({
  spec: 'Additions §2, POST /v1/provider-accounts/{id}/check',
  summary:
    'Tries the stored keys at the card provider now, right by right. Moves no money; a setup intent is made and cancelled.',
  call: 'POST /v1/provider-accounts/{id}/check',
  auth: 'server',
  scope: 'catalog:write',
  permission: 'settings.write',
  limit: 'client',
  input: { path: Type.Object({ id: uuid({ 'x-code': 'provider_account_not_found' }) }) },
  answers: {
    200: Type.Object({
      account: ProviderAccount,
      checks: Type.Array(
        Type.Object({
          what: Type.String({ description: 'For example `account` or `right refunds.write`.' }),
          result: oneOf(['good', 'note', 'wrong'], '`note`: good to know, and nothing fails.'),
          detail: Type.String({ description: 'What was seen, and what the operator can do.' }),
        }),
      ),
    }),
  },
  refuses: [
    'provider_account_not_found',
    'rate_limited',
    'insufficient_scope',
    'merchant_role_required',
  ],
  emits: [],
});

const goLiveSteps = [
  'provider_keys',
  'provider_notices',
  'product',
  'test_purchase',
  'test_refund',
  'business_details',
  'webhook_endpoint',
  'two_step',
  'second_owner',
  'mail_server',
  'live_account',
] as const;

export const GoLive = component('GoLive', {
  object: oneOf(['go_live']),
  mode: mode(),
  livemode: Type.Boolean(),
  ready: Type.Boolean({ description: 'True when every step is done or optional.' }),
  steps: Type.Array(
    Type.Object({
      step: oneOf(goLiveSteps),
      state: oneOf(
        ['done', 'open', 'failing', 'optional'],
        '`failing`: it was done and does not work now. `optional`: not done, and not needed by everybody.',
      ),
      since: nullable(
        instant('Of what has a time: the first purchase, the last delivery to an endpoint.'),
      ),
      missing: Type.Array(Type.String(), {
        description: 'What is still missing: names of fields, or addresses of people.',
      }),
    }),
    { description: 'In the order in which they are taken.' },
  ),
});
export type GoLive = Static<typeof GoLive>;

export const getGoLive = row({
  spec: 'Additions §2, GET /v1/go-live',
  summary: 'Reads what the merchant needs before real money, and the state of each step.',
  call: 'GET /v1/go-live',
  auth: 'server',
  scope: 'audit:read',
  permission: 'settings.write',
  limit: 'client',
  input: {},
  answers: { 200: GoLive },
  refuses: ['insufficient_scope', 'merchant_role_required'],
  emits: [],
});
