// Receipts over HTTP: their numbers, their content, the buyer's page, and their mails.

import type { Receipt } from '@svc/contract/payments/receipts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aGateway,
  aToken,
  callAs,
  freshDatabase,
  moveClock,
  newId,
  portsFor,
  type TestClient,
  type TestDatabase,
  type TestGateway,
  type TestToken,
} from '../../../test/harness.ts';
import { aStoredPayment } from '../../../test/payments/stored-rows.ts';
import { aMemberOf } from '../../../test/people/members.ts';
import { aSignIn, fromOwnPage } from '../../../test/people/people.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import type { Ports } from '../../engine/ports.ts';
import { readWaitingMails } from '../../engine/steps/mails/read-waiting-mails.ts';
import { dayWords } from '../../engine/steps/receipts/receipt-words.ts';
import { sql } from '../../storage/database/sql.ts';
import { claimMails } from '../../storage/mails/mails.ts';

let db: TestDatabase;
let server: TestServer;
let ports: Ports;
let client: TestClient;
let gateway: TestGateway;
let owner: TestToken;
let stranger: TestToken;
beforeAll(async () => {
  db = await freshDatabase();
  client = await aClient(db.database);
  gateway = await aGateway(db.database, client);
  owner = await aToken(db.database, client);
  stranger = await aToken(db.database, await aClient(db.database));
  ports = portsFor(db.database);
  server = await aServer(ports);
});
afterAll(async () => {
  await server?.close();
  await db?.close();
});

type PaymentOptions = Parameters<typeof aStoredPayment>[2];
const payment = async (given: Partial<PaymentOptions> = {}) =>
  (
    await aStoredPayment(db.database, client, {
      gateway,
      status: 'succeeded',
      email: 'payer@example.test',
      ...given,
    })
  ).id;

const getReceipt = (id: string, as: TestToken = owner) =>
  callAs(server.app, as, `GET /v1/payments/${id}/receipt`);
const sendReceipt = (id: string, body: object = {}, as: TestToken = owner) =>
  callAs(server.app, as, `POST /v1/payments/${id}/receipt/send`, { body });
const codeOf = (answer: Awaited<ReturnType<typeof getReceipt>>) => [
  answer.statusCode,
  answer.json().code,
  answer.json().param ?? null,
];

async function receiptOf(id: string): Promise<Receipt> {
  const answer = await getReceipt(id);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
}

const plantMails = sql(
  'test_receipt_mails',
  `insert into buyer_mails (id, client_id, payment_id, kind, recipient_masked, actor_kind, sent_by, created_at)
   select gen_random_uuid(), $1, $2, 'receipt', 'a•••@example.test', 'api_token', $4, svc_clock()
   from generate_series(1, $3) n`,
);

const openReceipt = (url: string) =>
  server.app.inject({ method: 'GET', url: new URL(url).pathname, headers: { host: 'localhost' } });

describe('a receipt', () => {
  it('has the next number of the merchant at its first reading, and the same one for ever', async () => {
    const [one, two] = [await payment(), await payment({ currency: 'JPY' })];
    const first = await receiptOf(one);
    const second = await receiptOf(two);
    const numberOf = ({ number }: Receipt) => Number(number.replace(/^R-0*/, ''));
    expect(numberOf(second)).toBe(numberOf(first) + 1);
    expect(await receiptOf(one)).toEqual(first);
    expect(first).toMatchObject({ type: 'purchase', paymentId: one, discount: 0, livemode: false });
  });

  it('read by many at once: one number each, and none left out', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => payment()));
    const read = await Promise.all([...ids, ...ids].map(receiptOf));
    const numbers = [...new Set(read.map(({ number }) => Number(number.slice(2))))].toSorted(
      (a, b) => a - b,
    );
    expect(numbers).toHaveLength(6);
    expect((numbers.at(-1) ?? 0) - (numbers[0] ?? 0)).toBe(5);
  });

  it.each(['failed', 'authorized', 'voided'])('409 receipt_not_available: %s', async (status) => {
    expect(codeOf(await getReceipt(await payment({ status })))).toEqual([
      409,
      'receipt_not_available',
      null,
    ]);
  });

  it('404 payment_not_found: of another merchant, and of none; 400 of no id', async () => {
    const id = await payment();
    expect(codeOf(await getReceipt(id, stranger))).toEqual([404, 'payment_not_found', null]);
    expect(codeOf(await getReceipt(newId()))).toEqual([404, 'payment_not_found', null]);
    expect((await getReceipt('x')).statusCode).toBe(400);
  });
});

describe('the page of a receipt', () => {
  it.each(['Pacific/Kiritimati', 'America/Los_Angeles'])(
    'tells the day in %s',
    async (timeZone) => {
      await callAs(server.app, owner, 'PATCH /v1/client', { body: { timeZone } });
      const receipt = await receiptOf(await payment());
      expect(receipt.timeZone).toBe(timeZone);
      const told = dayWords(receipt.paidAt, { locale: 'en', timeZone });
      expect((await openReceipt(receipt.url)).body).toContain(told);
      await callAs(server.app, owner, 'PATCH /v1/client', { body: { timeZone: 'UTC' } });
    },
  );

  it('is read by whoever has its address: no script, no cookie, not kept, not found by search', async () => {
    const { url, number } = await receiptOf(await payment());
    const page = await openReceipt(url);
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain(number);
    expect(page.body).toContain('Sandbox: no real money');
    expect(page.body).not.toMatch(/<script|style=|buyer@/);
    expect(page.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': expect.stringContaining('noindex'),
      'content-security-policy': expect.stringMatching(/default-src 'none'; style-src 'self'/),
    });
    expect(page.headers['set-cookie']).toBeUndefined();
    const style = await openReceipt(new URL('/r/style.css', url).href);
    expect([style.statusCode, style.body]).toEqual([200, expect.stringContaining('@media print')]);
  });

  it.each(['x', 'A'.repeat(43), '..%2f..'])(
    '404 in words at an address of nobody: %s',
    async (token) => {
      const page = await openReceipt(`http://localhost/r/${token}`);
      expect([page.statusCode, page.headers['content-type']]).toEqual([404, expect.any(String)]);
    },
  );

  it('writes names of the shop and of goods as text', async () => {
    await db.database.write(
      { name: 't_receipt_name', text: 'update clients set business_name = $2 where id = $1' },
      [client.id, '<b>Beans & "more"</b>'],
    );
    const page = await openReceipt((await receiptOf(await payment())).url);
    expect(page.body).toContain('&lt;b&gt;Beans &amp; &quot;more&quot;&lt;/b&gt;');
  });
});

describe('the seller on a receipt', () => {
  const address = '<b>Bean Ltd\n1 Bean Street\n12345 Beantown';
  const setSeller = async (body: object) =>
    expect((await callAs(server.app, owner, 'PATCH /v1/client', { body })).statusCode).toBe(200);
  const mailOf = async (id: string) => {
    const { url } = (await sendReceipt(id)).json() as Receipt;
    return (await readWaitingMails(ports)).find(({ text }) => text.includes(url))?.text ?? '';
  };

  it('is named with address and tax number, on the page and in the mail, as they are now', async () => {
    const id = await payment();
    const before = await receiptOf(id);
    expect(before.seller).toMatchObject({ address: null, taxNumber: null });
    expect((await openReceipt(before.url)).body).not.toMatch(/Tax number|class="address"/);
    expect(await mailOf(await payment())).not.toContain('Tax number');
    await setSeller({ businessName: 'Beans', businessAddress: address, taxNumber: 'DE123456789' });
    expect((await receiptOf(id)).seller).toMatchObject({
      ...{ name: 'Beans', address, taxNumber: 'DE123456789' },
    });
    const page = (await openReceipt(before.url)).body;
    expect(page).toContain('&lt;b&gt;Bean Ltd\n1 Bean Street\n12345 Beantown</p>');
    expect(page).toContain('<dt>Tax number</dt><dd>DE123456789</dd>');
    expect(await mailOf(id)).toContain(`\nBeans\n${address}\nTax number: DE123456789\n`);
    await setSeller({ businessAddress: null, taxNumber: null });
    expect((await receiptOf(id)).seller).toMatchObject({ address: null, taxNumber: null });
  });

  it('400 invalid_request: nine lines, and a tax number without a digit', async () => {
    const body = { businessAddress: Array(9).fill('a').join('\n'), taxNumber: 'none' };
    const answer = await callAs(server.app, owner, 'PATCH /v1/client', { body });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().errors.map(({ code }: { code: string }) => code)).toEqual([
      ...['business_address_invalid', 'tax_number_invalid'],
    ]);
  });
});

describe('mailing a receipt', () => {
  it('goes to the payment’s address or another one, and stands in timeline and audit log', async () => {
    const id = await payment();
    const { number, url } = (await sendReceipt(id)).json() as Receipt;
    expect((await sendReceipt(id, { to: 'accounts@example.test' })).statusCode).toBe(200);
    // A mail of a sandbox waits until it is given up: no worker sends it.
    expect(await claimMails(db.database, 10)).toEqual([]);
    const mails = (await readWaitingMails(ports)).filter(({ text }) => text.includes(url));
    expect(mails.map(({ to, kind }) => [to, kind])).toEqual([
      ['accounts@example.test', 'buyer_receipt'],
      ['payer@example.test', 'buyer_receipt'],
    ]);
    expect(mails[0]?.subject).toContain(number);
    const timeline = await callAs(
      server.app,
      owner,
      `GET /v1/payments/${id}/timeline?limit=100&sortDirection=ASC`,
    );
    type Entry = { kind: string; type: string; text: string; actor: { userId: string } | null };
    const told = (timeline.json().data as Entry[]).filter(({ kind }) => kind === 'mail');
    expect(told.map(({ type, actor }) => [type, actor?.userId])).toEqual([
      ['receipt', owner.userId],
      ['receipt', owner.userId],
    ]);
    expect(told[1]?.text).toMatch(/mailed the receipt to a•••@example\.test\.$/);
    const log = await callAs(server.app, owner, `GET /v1/audit-entries?resourceId[eq]=${id}`);
    expect(log.json().data).toMatchObject([
      { action: 'receipt.mailed', after: { to: 'a•••@example.test' } },
      { action: 'receipt.mailed' },
    ]);
  });

  it.each([
    ...['nobody', 'a@b, c@d', 'Ada <ada@example.test>', 'a@b\nBcc: c@d', 'ada@localhost'],
    ...['ada..l@example.test', '.ada@example.test', 'ada@-example.test', 'ada@example.test.'],
    ...['"ada l"@example.test', 'ada@[192.0.2.1]', 'a\u202eda@example.test', ''],
  ])('400 invalid_request: %j is no address', async (to) => {
    expect(codeOf(await sendReceipt(await payment(), { to }))).toEqual([
      400,
      'invalid_request',
      'to',
    ]);
  });

  it.each(["o'hara+x@example.test", 'ü@bücher.example', 'a!#$%&*/=?^_`{|}~-@x.example'])(
    '200: %j is one',
    async (to) => {
      expect((await sendReceipt(await payment(), { to })).statusCode).toBe(200);
    },
  );

  it('400 invalid_request: a payment without an address, and none named', async () => {
    const id = await payment({ sessionId: null, email: null });
    expect(codeOf(await sendReceipt(id))).toEqual([400, 'invalid_request', 'to']);
  });

  it('429 rate_limited: the eleventh mail of a receipt within a day', async () => {
    const id = await payment({ email: 'eleven@example.test' });
    for (let n = 0; n < 10; n++) expect((await sendReceipt(id)).statusCode).toBe(200);
    expect(codeOf(await sendReceipt(id))).toEqual([429, 'rate_limited', null]);
  });

  it('429 rate_limited: the 21st receipt to an address, from whatever payments and in whatever letters', async () => {
    const to = 'Stranger@example.test';
    for (let n = 0; n < 20; n++) {
      const address = n % 2 === 0 ? to : to.toLowerCase();
      expect((await sendReceipt(await payment(), { to: address })).statusCode).toBe(200);
    }
    const refused = await sendReceipt(await payment(), { to });
    expect(codeOf(refused)).toEqual([429, 'rate_limited', null]);
    expect(refused.json().message).toMatch(/^20 receipts were mailed to this address within a day/);
    const own = await payment({ email: 'another@example.test' });
    expect((await sendReceipt(own)).statusCode).toBe(200);
  });

  it('429 rate_limited: the 101st of a person and the 1001st of a merchant within an hour', async () => {
    const here = await aClient(db.database);
    const at = await aGateway(db.database, here);
    const mailer = await aToken(db.database, here);
    const other = await aToken(db.database, here);
    const newPayment = async () =>
      (
        await aStoredPayment(db.database, here, {
          gateway: at,
          status: 'succeeded',
          email: 'a@example.test',
        })
      ).id;
    const paid = await newPayment();
    const plant = (count: number, userId: string) =>
      db.database.write(plantMails, [here.id, paid, count, userId]);
    await plant(100, mailer.userId);
    const again = await newPayment();
    expect((await sendReceipt(again, {}, mailer)).json()).toMatchObject({
      code: 'rate_limited',
      message: expect.stringMatching(/^You mailed 100 receipts within an hour/),
    });
    expect((await sendReceipt(again, {}, other)).statusCode).toBe(200);
    await plant(899, (await aToken(db.database, here)).userId);
    expect((await sendReceipt(await newPayment(), {}, other)).json()).toMatchObject({
      code: 'rate_limited',
      message: expect.stringMatching(/^Your merchant mailed 1000 receipts within an hour/),
    });
    await moveClock(db.database, 3_700_000);
    expect((await sendReceipt(again, {}, mailer)).statusCode).toBe(200);
    await moveClock(db.database, -3_700_000);
  });

  it('403 recent_sign_in_required: a browser and another address than the payment’s own, which is told', async () => {
    const support = await aMemberOf(ports, client, { role: 'support' });
    const sendAs = async (id: string, to: string, provenMinutesAgo: number) => {
      const headers = fromOwnPage(await aSignIn(ports, support, { provenMinutesAgo }), client.id);
      const path = `POST /v1/payments/${id}/receipt/send` as const;
      const answer = await callAs(server.app, null, path, { headers, body: { to } });
      return [answer.statusCode, answer.json().code];
    };
    const told = async () =>
      (await readWaitingMails(ports)).filter(({ kind }) => kind === 'buyer_receipt_copied');
    const id = await payment({ email: 'told@example.test' });
    const before = (await told()).length;
    expect(await sendAs(id, ' TOLD@example.test '.trim(), 16)).toEqual([200, undefined]);
    expect(await sendAs(id, 'elsewhere@example.test', 16)).toEqual([
      403,
      'recent_sign_in_required',
    ]);
    expect((await told()).length).toBe(before);
    expect(await sendAs(id, 'elsewhere@example.test', 0)).toEqual([200, undefined]);
    const [mail, ...more] = (await told()).filter(({ to }) => to === 'told@example.test');
    expect(more).toEqual([]);
    expect(mail?.text).toContain(
      'to e•••@example.test. If you did not ask for that, tell the shop.',
    );
    expect(mail?.text).not.toContain('elsewhere');
  });

  it('404 payment_not_found of another merchant; 409 receipt_not_available of a failed payment', async () => {
    expect(codeOf(await sendReceipt(await payment(), {}, stranger))).toEqual([
      404,
      'payment_not_found',
      null,
    ]);
    expect(codeOf(await sendReceipt(await payment({ status: 'failed' })))).toEqual([
      409,
      'receipt_not_available',
      null,
    ]);
  });

  it('403 insufficient_scope: a token without customers:write', async () => {
    const reader = await aToken(db.database, client, { scopes: ['payments:read'] });
    expect(codeOf(await sendReceipt(await payment(), {}, reader))).toEqual([
      403,
      'insufficient_scope',
      null,
    ]);
  });
});
