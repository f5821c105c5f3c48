// Requests that are invalid in themselves: they are refused before anything is looked up, and leave
// nothing behind, not even their key. Specification, Errors 400; reliability I4, I7.

import { randomUUID } from 'node:crypto';
import { countKeys } from './api-rows.ts';
import type { ApiScenario } from './api-scenario.ts';
import { judgeShape } from './api-shape.ts';

type BadRequest = {
  readonly kind: 'capture' | 'cancel' | 'refund';
  readonly status: number;
  readonly code: string;
  readonly key?: string | null;
  readonly body?: string;
  readonly paymentId?: string;
  readonly authorization?: string;
};

const cases: Readonly<Record<string, BadRequest>> = {
  'no key': { kind: 'capture', key: null, status: 400, code: 'idempotency_key_required' },
  'blank key': { kind: 'cancel', key: '   ', status: 400, code: 'idempotency_key_required' },
  'long key': {
    kind: 'capture',
    key: 'k'.repeat(256),
    status: 400,
    code: 'idempotency_key_invalid',
  },
  'no uuid': { kind: 'cancel', paymentId: 'pi_1', status: 400, code: 'invalid_payment_id' },
  'an array': { kind: 'capture', body: '[]', status: 400, code: 'invalid_body' },
  'no JSON': { kind: 'cancel', body: '{', status: 400, code: 'invalid_body' },
  'a name twice': { kind: 'capture', body: '{"a":1,"a":1}', status: 400, code: 'invalid_body' },
  'a part': {
    kind: 'capture',
    body: '{"amount":1}',
    status: 400,
    code: 'partial_capture_not_supported',
  },
  'nobody’s payment': {
    kind: 'cancel',
    paymentId: '01900000-0000-7000-8000-00000000dead',
    status: 404,
    code: 'payment_not_found',
  },
  'no credential': {
    kind: 'capture',
    authorization: '',
    status: 401,
    code: 'authentication_required',
  },
  'half a yen': { kind: 'refund', body: '{"amount":0.5}', status: 422, code: 'amount_precision' },
  'nothing to refund': {
    kind: 'refund',
    body: '{"amount":0}',
    status: 400,
    code: 'invalid_request',
  },
  'an unknown field': {
    kind: 'refund',
    body: '{"amuont":1}',
    status: 400,
    code: 'invalid_request',
  },
};

export const badRequests = Object.keys(cases);

export async function badRequest(
  scenario: ApiScenario,
  name: string,
  index: number,
): Promise<void> {
  const bad = cases[name];
  const id = scenario.pick(index);
  const paymentId = bad?.paymentId ?? (id && scenario.realOf(id).paymentId);
  if (!bad || !paymentId) return;
  const key = bad.key === undefined ? `bad-${randomUUID()}` : bad.key;
  const headers = {
    ...(key === null ? {} : { 'idempotency-key': key }),
    ...(bad.authorization === undefined ? {} : { authorization: bad.authorization }),
  };
  const path = `/v1/payments/${paymentId}/${bad.kind === 'refund' ? 'refunds' : bad.kind}`;
  const method = bad.kind === 'refund' ? 'POST' : 'PUT';
  const given = { headers, body: bad.body ?? '{}' };
  const reply = await scenario.fixture.callAsMerchant(method, path, given);
  scenario.count(`bad: ${bad.code}`);
  scenario.same(name, [reply.status, reply.body.code], [bad.status, bad.code]);
  judgeShape(scenario, reply);
  scenario.same('a replay of nothing', reply.headers['idempotent-replayed'] !== undefined, false);
  await expectKeyFree(scenario, key);
}

/** Checks that the refused key is still free: no operation has it. */
async function expectKeyFree(scenario: ApiScenario, key: string | null): Promise<void> {
  if (key === null) return;
  const held = await countKeys(scenario.fixture.world, key);
  scenario.same('operations of a key that was refused', held, 0);
}
