// Views: lists of the dashboard with filters, order and columns, kept under a name. Additions §2, Views.

import { type Static, Type } from 'typebox';
import { row } from '../rows/row.ts';
import {
  author,
  component,
  exactFilter,
  givenInstant,
  input,
  instant,
  list,
  oneOf,
  paging,
  text,
  uuid,
} from '../rows/schema.ts';

/** The lists of the dashboard that can have views. */
export const viewedLists = [
  'payments',
  'holds',
  'disputes',
  'customers',
  'cards',
  'subscriptions',
  'sessions',
] as const;
export type ViewedList = (typeof viewedLists)[number];

/** The most private views of one person at a merchant, and also the most shared views of a merchant. */
export const mostViews = 50;
export const longestViewName = 60;

export const View = component('View', {
  id: uuid(),
  object: oneOf(['view']),
  clientId: uuid(),
  list: oneOf(viewedLists),
  name: Type.String(),
  query: Type.String({
    description:
      'As the address of the list has it: filters by the names of the API, `sort` and `columns`. Words such as `last-month` stay words.',
  }),
  isShared: Type.Boolean({ description: 'Whether everyone at the merchant sees it.' }),
  author: author(),
  version: Type.Integer({ description: 'Rises by one with each change.' }),
  createdAt: instant(),
  updatedAt: instant(),
});
export type View = Static<typeof View>;

const viewName = () => text(longestViewName, { pattern: '\\S' });
const viewQuery = () =>
  Type.String({
    maxLength: 2000,
    description:
      'For example `status=failed&createdAt=last-month&sort=-amount&columns=amount,fee`.',
  });

export const createView = row({
  spec: 'Additions §2, POST /v1/views',
  summary: 'Keeps filters, order and columns of a list under a name.',
  call: 'POST /v1/views',
  auth: 'server',
  scope: 'customers:write',
  permission: 'records.read',
  limit: 'client',
  input: {
    body: input({
      list: oneOf(viewedLists),
      name: viewName(),
      query: viewQuery(),
      isShared: Type.Optional(
        Type.Boolean({
          description: 'Shares the view with everyone at the merchant; only owners and admins may.',
        }),
      ),
    }),
  },
  answers: { 201: View },
  refuses: [
    'invalid_request',
    'merchant_role_required',
    'view_name_taken',
    'view_limit_reached',
    'insufficient_scope',
  ],
  emits: [],
});

export const listViews = row({
  spec: 'Additions §2, GET /v1/views',
  summary: 'Lists the views of the person and those for everyone.',
  call: 'GET /v1/views',
  auth: 'server',
  scope: 'customers:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: { query: paging(['createdAt'], {}) },
  filters: {
    list: exactFilter(oneOf(viewedLists)),
    isShared: exactFilter(Type.Boolean()),
    createdAt: givenInstant(),
  },
  answers: { 200: list(View) },
  refuses: ['invalid_query', 'insufficient_scope'],
  emits: [],
});

const ViewId = Type.Object({ viewId: uuid() });

export const updateView = row({
  spec: 'Additions §2, PATCH /v1/views/{viewId}',
  summary: 'Changes a view of the person, or, by an owner or admin, one for everyone.',
  call: 'PATCH /v1/views/{viewId}',
  auth: 'server',
  scope: 'customers:write',
  permission: 'records.read',
  limit: 'client',
  input: {
    path: ViewId,
    body: input(
      {
        name: Type.Optional(viewName()),
        query: Type.Optional(viewQuery()),
        isShared: Type.Optional(Type.Boolean()),
        version: Type.Optional(
          Type.Integer({
            minimum: 0,
            description:
              'The version that you read; the change is refused when there is a newer one.',
          }),
        ),
      },
      { minProperties: 1 },
    ),
  },
  answers: { 200: View },
  refuses: [
    'invalid_request',
    'view_not_found',
    'merchant_role_required',
    'version_conflict',
    'view_name_taken',
    'view_limit_reached',
    'insufficient_scope',
  ],
  emits: [],
});

export const deleteView = row({
  spec: 'Additions §2, DELETE /v1/views/{viewId}',
  summary: 'Removes a view of the person, or, by an owner or admin, one for everyone.',
  call: 'DELETE /v1/views/{viewId}',
  auth: 'server',
  scope: 'customers:write',
  permission: 'records.read',
  limit: 'client',
  input: { path: ViewId },
  answers: { 204: null },
  refuses: ['invalid_request', 'view_not_found', 'merchant_role_required', 'insufficient_scope'],
  emits: [],
});
