// The rows as one table: codes, names, places and answers agree with each other.

import { describe, expect, it } from 'vitest';
import { type ErrorCode, errorEntry, errors } from '../errors/errors.ts';
import { rows } from '../index.ts';
import { eventTypes } from './event-types.ts';
import type { RowShape } from './row.ts';
import { scopes } from './scopes.ts';

type Node = Record<string, unknown>;
/** The verbs with which a row's name may begin; a name with another verb is listed in full. */
const verbs = [
  ...['get', 'list', 'create', 'update', 'delete', 'open', 'submit', 'remove', 'revoke'],
  ...['capture', 'cancel', 'process', 'claim', 'decline', 'accept', 'leave', 'look', 'rotate'],
  ...['sign', 'begin', 'add', 'confirm', 'change', 'end', 'request', 'reset', 'renew', 'rename'],
  ...['redeliver', 'test', 'send', 'export', 'close', 'approve', 'expire', 'forget', 'resume'],
  ...['advance', 'plant', 'clear', 'fail', 'check'],
];

const all = Object.entries(rows) as [string, RowShape][];

/**
 * Rows that answer a list without pages. It is of one resource, of one person, or of what a merchant has few
 * of: its length does not grow with the merchant's sales.
 */
const shortLists =
  'getSessionPaymentMethods getPaymentTotals getCustomerPageMethods getCustomerPageSubscriptions ' +
  'updateCustomerPageDefault listApiTokens listSandboxMails listRecentAccess listPasskeys listSignIns ' +
  'listMemberships getNotifications updateNotifications listConsents listProviderAccounts';

it('answers at most a page at once: a list has a limit of 100 or is short, and every file is bulk', () => {
  const hasList = ({ answers }: RowShape) =>
    Object.values(answers).some(
      (schema) =>
        (schema as { properties?: { data?: Node } } | null)?.properties?.data?.type === 'array',
    );
  const limitOf = ({ input }: RowShape) =>
    (input.query?.properties.limit as { maximum?: number } | undefined)?.maximum ?? Infinity;
  const long = all.filter(([, row]) => row.isFile || (hasList(row) && limitOf(row) > 100));
  const unbounded = long.filter(([, row]) => !row.bulk).map(([name]) => name);
  expect(unbounded.sort()).toEqual(shortLists.split(' ').sort());
});

/** Returns every value of a keyword, anywhere in a schema. */
function valuesOf(schema: unknown, keyword: string): unknown[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = keyword in schema ? [(schema as Node)[keyword]] : [];
  return [...own, ...Object.values(schema).flatMap((part) => valuesOf(part, keyword))];
}

const isKnown = (code: unknown): code is ErrorCode => Object.keys(errors).includes(String(code));

/** Codes that the server returns before it knows the row. */
const ofTheWire: readonly ErrorCode[] = ['invalid_request', 'invalid_query', 'invalid_body'];

describe.each(all)('%s', (name, row) => {
  const [method = '', path = ''] = row.call.split(' ');

  it('every x-code is a known code, declared by the row or the wire’s own', () => {
    const found = [row.input, row.filters].flatMap((part) => valuesOf(part, 'x-code'));
    const declared = new Set<unknown>([...row.refuses, ...ofTheWire]);
    const isUsable = (code: unknown) =>
      declared.has(code) && isKnown(code) && errorEntry(code).status < 500;
    expect(found.filter((code) => !isUsable(code))).toEqual([]);
  });

  it('refuses known codes and emits known events, each once; its scope is known', () => {
    expect(new Set(row.refuses).size).toBe(row.refuses.length);
    expect(new Set(row.emits).size).toBe(row.emits.length);
    for (const code of row.refuses) expect(Object.keys(errors)).toContain(code);
    for (const type of row.emits) expect(eventTypes).toContain(type);
    if (row.scope !== null) expect(scopes).toContain(row.scope);
    if (row.scope !== null) expect(row.refuses).toContain('insufficient_scope');
  });

  it('names the parts of its path, all and no others', () => {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, part]) => part).sort();
    expect(Object.keys(row.input.path?.properties ?? {}).sort()).toEqual(inPath);
    expect(path.startsWith('/v1/')).toBe(true);
    const [verb] = /^[a-z]+/.exec(name) ?? [];
    expect(verbs).toContain(verb);
    expect(row.summary).toMatch(/^[A-Z].*\.$/);
    expect(row.spec).toMatch(/^(Contract §|[A-Z][a-z]+)/);
  });

  it('a read takes no body and emits nothing; a keyed write says what is wrong with a key', () => {
    if (method === 'GET') {
      expect(row.input.body).toBeUndefined();
      expect(row.emits).toEqual([]);
      expect(row.idempotent).toBeUndefined();
    }
    const isAsked = row.idempotent === true;
    const takesKey = isAsked || 'idempotency-key' in (row.input.headers?.properties ?? {});
    const mayRefuse = (code: ErrorCode) => row.refuses.includes(code);
    expect(mayRefuse('idempotency_key_required')).toBe(isAsked);
    expect(mayRefuse('idempotency_key_invalid')).toBe(takesKey);
    expect(mayRefuse('idempotency_key_reused')).toBe(takesKey);
  });

  it('objects of the body refuse what they do not know', () => {
    const { body } = row.input;
    // Capture and cancel take any object, but no amount. Contract, wire rules.
    const isFree = name === 'capturePayment' || name === 'cancelPayment';
    const open = objectsOf(body).filter(
      ({ additionalProperties: more }) => more !== false && typeof more !== 'object',
    );
    expect(isFree ? [] : open).toEqual([]);
    if (isFree) {
      const { properties } = body as unknown as { properties: Node };
      expect(Object.keys(properties).sort()).toEqual(['amount', 'amountToCapture']);
      expect(valuesOf(properties, 'x-code')).toEqual(
        Array(2).fill('partial_capture_not_supported'),
      );
    }
  });

  it('texts of the body are bounded', () => {
    const unbounded = stringsOf(row.input.body).filter(
      (schema) => !['maxLength', 'enum', 'pattern'].some((bound) => schema[bound] !== undefined),
    );
    expect(unbounded).toEqual([]);
  });

  it('answers with success alone, each property of a component always there', () => {
    const statuses = Object.keys(row.answers).map(Number);
    expect(statuses.length).toBeGreaterThan(0);
    for (const status of statuses) expect([200, 201, 202, 204]).toContain(status);
    // Responses of several forms, which differ in their `type`.
    const several = [undefined, 'ProcessAnswer', 'SetupAnswer'];
    const component = Object.values(row.answers).find(
      (answer) => answer && !several.includes((answer as Node)['x-name'] as string | undefined),
    ) as { properties: Node; required: string[] } | undefined;
    if (component)
      expect(component.required.sort()).toEqual(Object.keys(component.properties).sort());
  });
});

function listNodes(schema: unknown): Node[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return [schema as Node, ...Object.values(schema).flatMap(listNodes)];
}
const objectsOf = (schema: unknown) =>
  listNodes(schema).filter((part) => part.type === 'object' && part.properties !== undefined);
const stringsOf = (schema: unknown) => listNodes(schema).filter((part) => part.type === 'string');

const fieldsOf = (schema: unknown) => (schema as { properties: Record<string, Node> }).properties;

describe('the table', () => {
  it('no two rows answer one call', () => {
    const calls = all.map(([, row]) => row.call.replaceAll(/\{\w+\}/g, '{}'));
    expect(new Set(calls).size).toBe(calls.length);
  });

  it('a browser may call what takes a nonce or no credential, and nothing that takes only a token', () => {
    for (const [name, row] of all) {
      // The customer's page is our own: no other origin's page may read its answers.
      const isOwnPage = row.call.includes(' /v1/customer-page/');
      const isForPages = ['session', 'server-or-session', 'anyone'].includes(row.auth);
      expect(row.browser === true, name).toBe(isForPages && !isOwnPage);
    }
  });

  it('list rows page, sort and filter alike', () => {
    const lists = all.filter(([name]) => name.startsWith('list'));
    const paged = lists.filter(([, { answers }]) => 'total' in fieldsOf(answers[200]));
    expect(paged.length).toBeGreaterThan(10);
    for (const [name, { answers, input }] of lists.filter((one) => !paged.includes(one))) {
      // The list is short and limited, so it has no paging.
      expect(Object.keys(fieldsOf(answers[200])), name).toEqual(['data']);
      expect(input.query, name).toBeUndefined();
    }
    for (const [name, row] of paged) {
      const query = row.input.query as unknown as { properties: Record<string, Node> };
      const { page, limit, sortField, sortDirection } = query.properties;
      expect(page, name).toMatchObject({ minimum: 1, default: 1 });
      expect(limit, name).toMatchObject({ minimum: 1, maximum: 100, default: 20 });
      // An attempt has a start and no creation.
      const start = name === 'listEventAttempts' ? 'startedAt' : 'createdAt';
      expect(sortField, name).toMatchObject({ default: start });
      expect(sortDirection, name).toMatchObject({ enum: ['ASC', 'DESC'], default: 'DESC' });
      expect(row.refuses, name).toContain('invalid_query');
      expect(Object.keys(row.filters ?? {}).length, name).toBeGreaterThan(0);
    }
  });
});
