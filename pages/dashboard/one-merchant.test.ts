// One merchant to whom everything has happened: what Home asks for, what the lists find and offer, and
// what is refused to a viewer and to who asked for a refund.

import { randomBytes } from 'node:crypto';
import type { RefundRequest } from '@svc/contract/refund-requests';
import { apiVersion } from '@svc/contract/versions';
import { beforeAll, describe, expect, it } from 'vitest';
import { newWebhookSecret } from '../../service/src/domain/protocol/webhook-secret.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import { findPayment } from '../../service/src/storage/payments/payments.ts';
import {
  insertWebhookEndpoint,
  webhookSecretPlace,
} from '../../service/src/storage/webhooks/webhook-endpoints.ts';
import { deliverDisputeEvents, dispute } from '../../service/test/disputes.ts';
import { newId } from '../../service/test/harness.ts';
import { deliverNotice, providerEvents, readAllNotices } from '../../service/test/notices.ts';
import { advance, plantInDatabase } from '../../service/test/planted.ts';
import {
  aClub,
  advanceToRenewal,
  renewAll,
  subscriptionOf,
} from '../../service/test/subscriptions.ts';
import { aSession } from '../../service/test/world.ts';
import type { TestPerson } from '../test/account-fixture.ts';
import { dashboardTest } from '../test/dashboard-fixture.ts';

const test = dashboardTest();
const day = 86_400;
const hooks = 'https://shop.example/hooks';
const confirm = { method: 'POST', path: '/v1/payment_intents/*/confirm' };
let owner: TestPerson;
let viewer: TestPerson;

beforeAll(async () => {
  owner = await test.colleague('Olga Owner', 'owner');
  viewer = await test.colleague('Vera Viewer', 'viewer');
});

const main = () => test.page.getByRole('main');
const region = (name: string) => test.page.getByRole('region', { name });
const table = (name: string) => test.page.getByRole('table', { name });
const providerIdOf = async (id: string) =>
  (await findPayment(test.world.database, test.world.client.id, id))?.providerIntentId ?? '';
const callAs = <T = { code: string }>(
  person: TestPerson,
  method: string,
  path: string,
  body?: object,
) => test.callAs<T>(person, { method, path, body, clientId: test.world.client.id, key: newId() });

async function aDispute(): Promise<string> {
  const { id } = await test.payment();
  await deliverDisputeEvents(test.world, await dispute(test.world, await providerIdOf(id)));
  return id;
}

const disputeOf = async (payment: string) =>
  (await test.ask<{ data: { id: string }[] }>(`/v1/disputes?paymentId[eq]=${payment}`)).data[0]?.id;

/** A payment whose refund was paid, and sent back later by the buyer's bank. */
async function aRefundThatFailed(): Promise<string> {
  const { world } = test;
  const payment = await test.payment();
  expect(await test.refundAs(owner, payment, {})).toBe(201);
  const [refund] = await test.payments(`type[eq]=refund&parentPaymentId[eq]=${payment.id}`);
  const failed = await callAs(owner, 'POST', '/v1/sandbox/refund-failures', {
    refundId: refund?.id,
  });
  expect(failed.status).toBeLessThan(300);
  for (const event of await providerEvents(world, await providerIdOf(payment.id))) {
    await deliverNotice(world, event);
  }
  await readAllNotices(world);
  const [after] = await test.payments(`type[eq]=refund&parentPaymentId[eq]=${payment.id}`);
  expect(after?.status).toBe('refund_failed');
  return payment.id;
}

const failEndpoint = sql(
  'test_page_failing_endpoint',
  'update webhook_endpoints set failing_since = svc_clock() where id = $1',
);

async function aFailingEndpoint(): Promise<string> {
  const { database, client, ports } = test.world;
  const id = newId();
  const place = webhookSecretPlace(client.id, id);
  const secretSealed = await ports.sealed.seal(place, newWebhookSecret(randomBytes(32)));
  await database.transaction(client.id, (tx) =>
    insertWebhookEndpoint(tx, {
      id,
      clientId: client.id,
      url: hooks,
      eventTypes: null,
      secretSealed,
      apiVersion,
    }),
  );
  await database.write(failEndpoint, [id]);
  return id;
}

async function aDeclinedRenewal(): Promise<string> {
  const { world } = test;
  const { id } = await aClub(world);
  await advanceToRenewal(world, id);
  await world.fault(confirm, 'decline', { count: 1 });
  await renewAll(world);
  expect((await subscriptionOf(world, id)).status).toBe('past_due');
  return id;
}

async function anUnknownPayment(): Promise<string> {
  await test.world.fault({ path: '/v1/payment_intents/*/confirm' }, 'drop_request', { count: 2 });
  const { id, status } = await test.payment();
  expect(status).toBe('unknown');
  return id;
}

describe('dashboard, the list of payments', () => {
  it('finds the one payment of a card’s last four digits and a range of amounts', async () => {
    // No other test sells seven.
    const wanted = await test.payment({ quantity: 7 });
    await test.payment({ quantity: 8 });
    await test.payment({ quantity: 7, card: '5555555555554444' });
    const page = await test.visit(owner, '/payments');
    const add = async (title: string, values: Readonly<Record<string, string>>) => {
      await test.button('Add filter').click();
      await page.getByRole('listitem').getByRole('button', { name: title, exact: true }).click();
      for (const [label, value] of Object.entries(values)) {
        await page.getByRole('textbox', { name: label, exact: true }).fill(value);
      }
      await test.button('Apply').click();
    };
    await add('Last four digits', { 'Last four digits': '4242' });
    await test.button('Remove filter Last four digits: 4242').waitFor();
    await add('Amount', { 'Amount from': '130', 'Amount up to': '150' });
    await page
      .getByRole('status')
      .filter({ hasText: /^1 payment$/ })
      .waitFor();
    expect(new URL(page.url()).searchParams.get('amount')).toBe('130..150');
    const links = table('Payments').getByRole('link');
    expect(await links.count()).toBe(1);
    expect(await links.first().getAttribute('href')).toContain(wanted.id);
  });
});

describe('dashboard, everything at once', () => {
  it('Home asks for each thing, what ends first on top, a hold only within two days of its end', async () => {
    const { world } = test;
    const club = await aDeclinedRenewal();
    const hold = await test.payment({ captureMethod: 'manual' });
    const failed = await aRefundThatFailed();
    const disputed = await aDispute();
    const unknown = await anUnknownPayment();
    const endpoint = await aFailingEndpoint();
    const declined = [`/subscriptions/${club}`, 'The renewal of club was declined'];
    const held = [`/payments/${hold.id}`, 'Capture or release the hold of €19.90'];
    const others = [
      [`/disputes/${await disputeOf(disputed)}`, 'Answer the dispute of €19.90'],
      [`/payments/${failed}`, 'The refund of €19.90 failed: the buyer has not been paid'],
      [`/payments/${unknown}`, 'A payment of €19.90 is not known yet'],
      [`/developers/webhooks/${endpoint}`, `Webhooks do not arrive at ${hooks}`],
    ];
    const own = new Set([declined, held, ...others].map(([path]) => path));
    /** What Home asks for of the things of this test, in its order. */
    const told = async () => {
      const links = test.page.getByRole('list', { name: 'Needs you' }).getByRole('link');
      const all = await links.evaluateAll((found) =>
        found.map((link) => [link.getAttribute('href') ?? '', link.textContent ?? '']),
      );
      const start = test.at().length;
      return all
        .map(([href = '', text]) => [href.slice(start), text])
        .filter(([path]) => own.has(path));
    };
    await test.visit(owner);
    await expect.poll(told).toEqual([declined, ...others]);
    await advance(world, 6 * day);
    await test.visit(owner);
    await expect.poll(told).toEqual([declined, held, ...others]);
    await test.look('dashboard-home-everything');
  });

  it('a refund that failed later is told so on the payment, with what to do, and never as refunded', async () => {
    const id = await aRefundThatFailed();
    await test.visit(owner, `/payments/${id}`);
    await region('Refunds').getByText('Failed later', { exact: true }).waitFor();
    await region('What to do').getByText('the buyer has not been paid').waitFor();
    await region('What to do').getByText('Ask the buyer how the money can be sent').waitFor();
    expect(await main().getByText('Refunded', { exact: true }).count()).toBe(0);
    expect(await main().getByRole('status').first().textContent()).toBe('Succeeded');
    await test.button('Refund').waitFor();
    await test.look('dashboard-refund-failed-later');
  });
});

describe('dashboard, pages that show several payments', () => {
  // Something of every kind, so that a row is looked at.
  beforeAll(async () => {
    await aClub(test.world);
    await test.payment({ captureMethod: 'manual' });
    await aDispute();
  });

  it.each([
    ['', '/payments'],
    ['/payments', '/payments'],
    ['/holds', '/payments'],
    ['/disputes', '/disputes'],
    ['/customers', '/customers'],
    ['/cards', '/customers'],
    ['/subscriptions', '/subscriptions'],
  ])(
    '“%s” has no control that refunds, and none that takes several payments',
    async (path, shown) => {
      const page = await test.visit(owner, path);
      await main()
        .locator(`a[href^="${test.at(shown)}/"]`)
        .first()
        .waitFor();
      await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
      for (const role of ['button', 'menuitem', 'checkbox', 'option'] as const) {
        expect(await page.getByRole(role, { name: /refund/i }).count()).toBe(0);
      }
      expect(await main().getByRole('checkbox').count()).toBe(0);
    },
  );
});

describe('dashboard, a refund request of an owner', () => {
  it('403 own_refund_request: who asked may not approve it, by the API either', async () => {
    const payment = await test.payment();
    await test.colleague('Anna Admin', 'admin');
    const path = `/v1/payments/${payment.id}/refund-requests`;
    const asked = await callAs<RefundRequest>(owner, 'POST', path, { amount: 5 });
    expect(asked.status).toBe(201);
    const answer = await callAs(owner, 'POST', `/v1/refund-requests/${asked.body.id}/approve`);
    expect([answer.status, answer.body.code]).toEqual([403, 'own_refund_request']);
    expect(await test.givenBack(payment)).toEqual([]);
    await test.visit(owner, `/payments/${payment.id}`);
    const box = region('Refund to approve');
    await box.getByText('Anna Admin').waitFor();
    expect(await box.getByRole('button').allTextContents()).toEqual(['Take it back']);
  });
});

describe('dashboard, a viewer', () => {
  const acts =
    /^(refund|capture|release|cancel|remove|expire|add|edit|delete|approve|decline|mail|close|forget)/i;

  it('finds no act enabled on a payment, a hold, a subscription, a session and a customer', async () => {
    const sold = await test.payment();
    const hold = await test.payment({ captureMethod: 'manual' });
    const club = await aClub(test.world);
    const { sessionId } = await aSession(test.world, {});
    for (const [path, shown] of [
      [`/payments/${sold.id}`, ['Refund']],
      [`/payments/${hold.id}`, ['Capture €19.90', 'Release the hold']],
      [`/subscriptions/${club.id}`, ['Cancel now']],
      [`/sessions/${sessionId}`, ['Expire']],
      [`/customers/${club.userId}`, ['Remove', 'Forget this person']],
      ['/reports?month=2020-01', ['Close the month']],
    ] as const) {
      const page = await test.visit(viewer, path);
      await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
      const buttons = main().getByRole('button', { name: acts });
      const [off, on] = await buttons.evaluateAll((found) => {
        const isOff = (button: Element) => button.matches(':disabled, [aria-disabled=true]');
        const textOf = (button: Element) => button.textContent;
        return [
          found.filter(isOff).map(textOf),
          found.filter((button) => !isOff(button)).map(textOf),
        ];
      });
      expect({ [path]: { off, on } }).toEqual({ [path]: { off: shown, on: [] } });
    }
  });

  it('is refused by the API too: a refund, a capture, a note, a file of more than 1 000 rows', async () => {
    const { ownerUrl, client, gatewayId } = test.world;
    const sold = await test.payment();
    const hold = await test.payment({ captureMethod: 'manual' });
    const note = { resourceType: 'payment', resourceId: sold.id, text: 'Rang twice.' };
    for (const [method, path, body] of [
      ['POST', `/v1/payments/${sold.id}/refunds`, {}],
      ['POST', `/v1/payments/${sold.id}/refund-requests`, { amount: 1 }],
      ['PUT', `/v1/payments/${hold.id}/capture`, {}],
      ['POST', '/v1/notes', note],
    ] as const) {
      const { status, body: told } = await callAs(viewer, method, path, body);
      expect([path, status, told.code]).toEqual([path, 403, 'merchant_role_required']);
    }
    expect(await test.givenBack(sold)).toEqual([]);
    await plantInDatabase(ownerUrl, (plant) =>
      plant(
        `insert into payments (id, client_id, type, provider, gateway_id, amount_minor, currency,
           capture_method, status, is_live, created_at, updated_at, external_id)
         select gen_random_uuid(), $1, 'purchase', 'cardprovider', $2, 100, 'EUR', 'automatic',
           'pending', false, svc_clock(), svc_clock(), 'many' from generate_series(1, 1001)`,
        [client.id, gatewayId],
      ),
    );
    const file = await callAs(viewer, 'GET', '/v1/payments.csv?externalId[eq]=many');
    expect([file.status, file.body.code]).toEqual([422, 'export_too_large']);
  });
});

describe('dashboard, the deadline of a dispute', () => {
  it('is told in days, then as tomorrow, then as overdue; what ends first stands first', async () => {
    const { world } = test;
    const payment = await aDispute();
    const found = await disputeOf(payment);
    const open = async () => {
      await test.visit(owner, '/disputes?sort=-evidenceDueBy');
      const first = table('Disputes').getByRole('row').nth(1);
      await first.waitFor();
      expect(await first.getByRole('link').first().getAttribute('href')).toContain(found);
      return first;
    };
    await (await open()).getByText(/^in 9 days/).waitFor();
    await advance(world, 7.75 * day);
    await (await open()).getByText(/^tomorrow/).waitFor();
    await test.look('dashboard-disputes-tomorrow');
    await advance(world, 2 * day);
    await (await open()).getByText('Overdue', { exact: true }).waitFor();
  });
});
