// Tests of svc show over a real database and the sandbox provider: an operator reads all stored
// fields of an object, and finds the objects that it belongs to.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { runOn } from '../../../test/command-line.ts';
import { callerOf } from '../../../test/harness.ts';
import { aHold, moveHold, startWorld, type World } from '../../../test/world.ts';
import { newRequestId } from '../../http/wire/request-id.ts';
import { sql } from '../../storage/database/sql.ts';

let world: World;
let held: { paymentId: string; sessionId: string };
const requestId = newRequestId();
beforeAll(async () => {
  world = await startWorld();
  held = await aHold(world);
  const caller = { ...callerOf(world.token), requestId, address: '203.0.113.9' };
  await moveHold(world, 'capturePayment', { paymentId: held.paymentId, key: 'k-1', caller });
});
afterAll(() => world?.close());

const runShow = (...args: string[]) => runOn(world.ports, ['show', ...args]);
/** Returns the values of a column from all places of the output that show it. */
const valuesOf = (out: string, name: string) =>
  [...out.matchAll(new RegExp(`^  ${name} +(.*)$`, 'gm'))].map(([, value]) => value);

const findCapture = sql<{ id: string }>(
  't_show_capture',
  "select id from payment_operations where payment_id = $1 and kind = 'capture'",
);
const findEvents = sql<{ id: string; type: string }>(
  't_show_events',
  'select id, type from events where resource_id = $1 order by sequence',
);
const eventsOf = async (id: string) =>
  (await world.database.read(findEvents, [id])).map(({ id: uuid, type }) => ({
    id: `evt_${uuid.replaceAll('-', '')}`,
    type,
  }));
const captureId = async () =>
  (await world.database.read(findCapture, [held.paymentId]))[0]?.id ?? '';

it('a payment is shown with its session, operations, answers and events, in plain text', async () => {
  const { code, out } = await runShow('payment', held.paymentId);
  expect(code).toBe(0);
  expect(out).toMatch(new RegExp(`^payment ${held.paymentId}\n`));
  expect(out).toContain(`\nsession ${held.sessionId}\n`);
  expect(out).toContain(`\noperation ${await captureId()}\n`);
  expect(valuesOf(out, 'kind')).toEqual(['authorize', 'capture']);
  for (const event of await eventsOf(held.paymentId)) {
    expect(out).toContain(`\nevent ${event.id}\n`);
    expect(valuesOf(out, 'type')).toContain(event.type);
  }
  // The stored response and the payload are readable JSON.
  expect(out).toContain('"object": "payment"');
  expect(out).toContain('"type": "payment.authorized"');
  expect(valuesOf(out, 'payload').concat(valuesOf(out, 'response_body'))).toEqual(
    expect.arrayContaining(['{']),
  );
  expect(valuesOf(out, 'payload').filter((value) => value !== '{')).toEqual([]);
});

it('an operation is shown with who asked for it, each call to the provider and its payment', async () => {
  const { code, out } = await runShow('operation', (await captureId()).toUpperCase());
  expect(code).toBe(0);
  expect(valuesOf(out, 'request_id')).toEqual([requestId]);
  expect(valuesOf(out, 'asked_via')).toEqual(['token']);
  expect(valuesOf(out, 'asked_credential_id')).toEqual([world.token.id]);
  expect(valuesOf(out, 'asked_user_id')).toEqual([world.token.userId]);
  expect(valuesOf(out, 'asked_network')).toEqual(['203.0.113.9']);
  expect(valuesOf(out, 'outcome')).toEqual(['confirmed']);
  expect(out).toContain(`\npayment ${held.paymentId}\n`);
});

it('an event is shown by the id that merchants know, with its payload and its payment', async () => {
  const [event] = await eventsOf(held.paymentId);
  const id = event?.id ?? '';
  const { code, out } = await runShow('event', id);
  expect(code).toBe(0);
  expect(out).toMatch(new RegExp(`^event ${id}\n`));
  expect(out).toContain(`"id": "${id}"`);
  expect(out).toContain(`\npayment ${held.paymentId}\n`);
});

it('a session is shown with its payment and its attempt', async () => {
  const { code, out } = await runShow('session', held.sessionId);
  expect(code).toBe(0);
  expect(out).toMatch(new RegExp(`^session ${held.sessionId}\n`));
  expect(out).toContain(`\npayment ${held.paymentId}\n`);
  expect(valuesOf(out, 'kind')).toEqual(['authorize']);
});

it('neither the secret of a challenge nor a control character of a buyer gets to the terminal', async () => {
  const plant = sql(
    't_show_plant',
    `update payment_operations set challenge = '{"url": null, "clientSecret": "pi_secret_1"}'
     where payment_id = $1 and kind = 'authorize'`,
  );
  await world.database.write(plant, [held.paymentId]);
  const rename = sql(
    't_show_rename',
    "update checkout_sessions set metadata = jsonb_build_object('note', E'a\\u001b[31mb') where id = $1",
  );
  await world.database.write(rename, [held.sessionId]);
  const { out } = await runShow('payment', held.paymentId);
  expect(out).toContain('its secret is not shown');
  expect(out).not.toContain('pi_secret_1');
  expect(out.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
});

it('a thing that is not there ends with 1, and an id of another form opens nothing', async () => {
  const missing = '018f6e5c-b7a2-7c3e-9d41-a0b2c4d6e8f0';
  const none = await runShow('payment', missing);
  expect([none.code, none.out, none.err]).toEqual([
    1,
    '',
    `svc show: there is no payment with the id ${missing}\n`,
  ]);
  expect((await runShow('payment', 'ch_1')).err).toContain(
    'the id of the payment must be a UUID: ch_1',
  );
  expect((await runShow('event', 'ch_1')).err).toContain(
    'must be evt_ and 32 hex digits, or a UUID',
  );
  expect((await runShow('session')).err).toContain('the id of the session is missing');
  expect((await runShow('refund', missing)).code).toBe(2);
});
