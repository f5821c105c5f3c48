// What people wrote down about a customer who is forgotten is found by whole addresses and names, however it is
// encoded, and words that only look like theirs stay.

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../test/harness.ts';
import { untilBlocked } from '../../../test/held-row.ts';
import { mailsTo } from '../../../test/people/accounts.ts';
import { type Colleague, type Office, openOffice } from '../../../test/people/office.ts';
import { aSession, buyerEmail } from '../../../test/world.ts';
import { mailBuyers } from '../../engine/runs/buyer-mails/mail-buyers.ts';

let office: Office;
let owner: Colleague;
let holder: pg.Client;
beforeAll(async () => {
  office = await openOffice();
  owner = await office.join('owner');
  holder = new pg.Client({ connectionString: office.world.url });
  await holder.connect();
});
afterAll(async () => {
  await holder?.end();
  await office?.close();
});

const ask = (call: string, body: object | null = null) => office.as(owner, call, { body });

async function aCustomer(email: string, name?: string): Promise<string> {
  const answer = await ask('POST /v1/customers', { email, ...(name ? { name } : {}) });
  expect(answer.status).toBe(201);
  return answer.body.id;
}
async function forget(id: string): Promise<void> {
  const answer = await ask(`POST /v1/customers/${id}/forget`);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
}
async function aView(name: string, query: string, isShared = false, list = 'payments') {
  const answer = await ask('POST /v1/views', { list, name, query, isShared });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.id as string;
}
async function viewNow(id: string): Promise<{ name: string; query: string }> {
  const found = (await ask('GET /v1/views?limit=100')).body.data as { id: string }[];
  return found.find((view) => view.id === id) as never;
}

const encoded = (text: string) => encodeURIComponent(text);
/** As the dashboard writes an address: some signs stay, and a blank is a plus. */
const readable = (text: string) =>
  encoded(text).replace(/%(2C|40|3A|20)/g, (code) =>
    code === '%20' ? '+' : decodeURIComponent(code),
  );

describe('views', () => {
  it.each([
    ['email', 'jane+shop@words.example', encoded],
    ['email', 'jane+mug@words.example', readable],
    ['email', 'günther@words.example', encoded],
    ['email', 'günther@words.example', readable],
    ['name', "Siobhan O'Neill (Sr)", readable],
    ['name', 'Ann, Lee', readable],
    ['name', 'Ann, Lee', encoded],
    ['name', 'Cher', encoded],
    ['metadata.contact', 'jane@words.example', readable],
  ])('a filter %s of %s is taken out, the others stay', async (key, value, encode) => {
    const isName = key === 'name';
    const id = await aCustomer(
      isName ? `${newId()}@words.example` : value,
      isName ? value : undefined,
    );
    const list = isName ? 'customers' : 'payments';
    const rest = isName ? 'sort=-createdAt' : 'status=failed';
    const view = await aView(`v ${id}`, `${key}=${encode(value)}&${rest}`, true, list);
    await forget(id);
    expect((await viewNow(view)).query).toBe(rest);
    const logged = (await ask(`GET /v1/audit-entries?resourceId[eq]=${view}`)).body.data;
    expect(logged).toHaveLength(1);
    expect(logged[0].after).not.toHaveProperty('query');
  });

  it('several that are called like the person get names of their own', async () => {
    const email = 'mary@words.example';
    const id = await aCustomer(email, 'Mary Views');
    const names = [`orders of ${email}`, `refunds of ${email.toUpperCase()}`, 'Of mary views, new'];
    const views = await Promise.all(names.map((name) => aView(name, 'status=failed')));
    await forget(id);
    for (const view of views) {
      expect(await viewNow(view)).toMatchObject({ name: view, query: 'status=failed' });
    }
  });

  it('words of others stay: a longer address, a part of a name, a word of the API', async () => {
    const ids = [
      await aCustomer('ann@words.example', 'Anna'),
      await aCustomer(`${newId()}@words.example`, 'failed'),
    ];
    const kept = [
      ['Anna M', 'status=failed'],
      ['Savannah team', 'email=joann@words.example'],
      ['Failed this month', 'email=ann@words.example.org&status=failed'],
    ] as const;
    const views = await Promise.all(kept.map(([name, query]) => aView(name, query, true)));
    const file = await ask('POST /v1/exports?status[eq]=failed&columns=id');
    expect(file.status).toBe(202);
    const scheduled = await ask('POST /v1/export-schedules?email[eq]=joann@words.example');
    expect(scheduled.status).toBe(201);
    for (const id of ids) await forget(id);
    const left = (await ask('GET /v1/export-schedules')).body.data;
    expect(left.map(({ id }: { id: string }) => id)).toEqual([scheduled.body.id]);
    const now = await Promise.all(views.map(viewNow));
    expect(now.map(({ name, query }) => [name, query])).toEqual(kept);
    const logged = (await ask(`GET /v1/audit-entries?resourceId[eq]=${file.body.id}`)).body.data;
    expect(logged[0].after).toMatchObject({ filters: 'status[eq]=failed' });
  });
});

describe('mails', () => {
  const onError = (_: unknown, error: unknown) => {
    throw error;
  };
  const mail = () => mailBuyers(office.world.ports, { onError });
  const waiting = async (to: string) =>
    (await mailsTo(office.world.ports, to)).filter(({ state }) => state === 'waiting');
  const buyerOf = async (paymentId: string): Promise<string> =>
    (await ask(`GET /v1/payments/${paymentId}`)).body.userId;

  it('none is queued by a call or by itself while the buyer is being forgotten', async () => {
    expect((await ask('PATCH /v1/client', { buyerMails: { receipt: true } })).status).toBe(200);
    await mail();
    const paymentId = await office.purchase();
    // With a receipt that was issued before, only the reading of the address waits.
    expect((await ask(`GET /v1/payments/${paymentId}/receipt`)).status).toBe(200);
    const view = await aView(`late ${paymentId}`, `email=${encoded(buyerEmail)}`);
    const userId = await buyerOf(paymentId);
    await holder.query('begin');
    await holder.query('select from views where id = $1 for update', [view]);
    const forgetting = forget(userId);
    // The mails of the buyer have been emptied by now.
    await untilBlocked(office.world.url);
    const sending = ask(`POST /v1/payments/${paymentId}/receipt/send`, {});
    const mailing = mail();
    await untilBlocked(office.world.url, 3);
    await holder.query('rollback');
    await forgetting;
    await mailing;
    expect(await sending).toMatchObject({ status: 400, body: { param: 'to' } });
    expect(await waiting(buyerEmail)).toEqual([]);
    const sent = await holder.query('select from buyer_mails where payment_id = $1', [paymentId]);
    expect(sent.rowCount).toBe(0);
  });

  it('one to somebody else stays, though a session of the forgotten id named their address', async () => {
    const paymentId = await office.purchase();
    expect((await ask(`POST /v1/payments/${paymentId}/receipt/send`, {})).status).toBe(200);
    const before = (await waiting(buyerEmail)).length;
    expect(before).toBeGreaterThan(0);
    const stranger = newId();
    const session = await aSession(office.world, { userId: stranger });
    await ask(`POST /v1/checkout-sessions/${session.sessionId}/expire`);
    await forget(stranger);
    expect(await waiting(buyerEmail)).toHaveLength(before);
  });
});

describe('kept files', () => {
  it('400 raw_card_data_forbidden: a filter with a card number, and nothing is stored', async () => {
    const query = 'metadata.card[eq]=4242424242424242&columns=id';
    for (const call of ['POST /v1/exports', 'POST /v1/export-schedules', 'GET /v1/payments.csv']) {
      const answer = await ask(`${call}?${query}`);
      expect([answer.status, answer.body.code]).toEqual([400, 'raw_card_data_forbidden']);
    }
    const logged = await ask('GET /v1/audit-entries?limit=100');
    expect(JSON.stringify(logged.body)).not.toContain('4242424242424242');
  });

  it('is deleted once by four calls at once, with one entry in the audit log', async () => {
    const file = await ask('POST /v1/exports?columns=id');
    const calls = Array.from({ length: 4 }, () => ask(`DELETE /v1/exports/${file.body.id}`));
    const statuses = (await Promise.all(calls)).map(({ status }) => status).sort();
    expect(statuses).toEqual([204, 404, 404, 404]);
    const call = `GET /v1/audit-entries?resourceId[eq]=${file.body.id}&action[eq]=export.deleted`;
    expect((await ask(call)).body.data).toHaveLength(1);
  });
});
