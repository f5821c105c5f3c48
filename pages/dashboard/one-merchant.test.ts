// One merchant to whom everything has happened: what the lists find and offer, and what a viewer finds off.

import { beforeAll, describe, expect, it } from 'vitest';
import { findPayment } from '../../service/src/storage/payments/payments.ts';
import { aClub } from '../../service/test/customers/subscriptions.ts';
import { deliverDisputeEvents, dispute } from '../../service/test/payments/disputes.ts';
import {
  deliverNotice,
  providerEvents,
  readAllNotices,
} from '../../service/test/payments/notices.ts';
import { aSession } from '../../service/test/world.ts';
import type { TestPerson } from '../test/account-fixture.ts';
import { dashboardTest } from '../test/dashboard-fixture.ts';

const test = dashboardTest();
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

async function aDispute(): Promise<void> {
  const { id } = await test.payment();
  await deliverDisputeEvents(test.world, await dispute(test.world, await providerIdOf(id)));
}

/** A payment whose refund was paid, and sent back later by the buyer's bank. */
async function aRefundThatFailed(): Promise<string> {
  const { world } = test;
  const payment = await test.payment();
  expect(await test.refundAs(owner, payment, {})).toBe(201);
  const [refund] = await test.payments(`type[eq]=refund&parentPaymentId[eq]=${payment.id}`);
  const failed = await test.callAs(owner, {
    method: 'POST',
    path: '/v1/sandbox/refund-failures',
    body: { refundId: refund?.id },
    clientId: world.client.id,
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

describe('dashboard, a refund that failed later', () => {
  it('is told so on the payment, with what to do, and never as refunded', async () => {
    const id = await aRefundThatFailed();
    await test.visit(owner, `/payments/${id}`);
    await region('Refunds').getByText('Failed later', { exact: true }).waitFor();
    await region('What to do').getByText('the buyer did not get the money').waitFor();
    await region('What to do').getByText('Ask the buyer how the money can be sent').waitFor();
    expect(await main().getByText('Refunded', { exact: true }).count()).toBe(0);
    expect(await main().getByRole('status').first().textContent()).toBe('Succeeded');
    await test.button('Refund').waitFor();
  });
});

describe('dashboard, pages that show several payments', () => {
  // Something of every kind, so that a row is looked at.
  beforeAll(async () => {
    await aClub(test.world);
    await test.payment({ captureMethod: 'manual' });
    await aDispute();
  });

  it('have no control that refunds, and none but holds can be chosen', async () => {
    const page = await test.visit(owner);
    for (const [path, shown] of [
      ['', '/payments'],
      ['/payments', '/payments'],
      ['/holds', '/payments'],
      ['/disputes', '/disputes'],
      ['/customers', '/customers'],
      ['/cards', '/customers'],
      ['/subscriptions', '/subscriptions'],
    ] as const) {
      await page.goto(test.at(path));
      await main()
        .locator(`a[href^="${test.at(shown)}/"]`)
        .first()
        .waitFor();
      await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
      const found = [];
      for (const role of ['button', 'menuitem', 'checkbox', 'option'] as const) {
        found.push(...(await page.getByRole(role, { name: /refund/i }).allTextContents()));
      }
      const hasBoxes = (await main().getByRole('checkbox').count()) > 0;
      expect({ [path]: [found, hasBoxes] }).toEqual({ [path]: [[], path === '/holds'] });
    }
  });
});

describe('dashboard, a viewer', () => {
  const acts =
    /^(refund|capture|release|cancel|remove|expire|add|edit|delete|approve|decline|mail|close|forget)/i;

  it('is told who may, and finds no action enabled on a payment, a hold, a subscription, a session and a customer', async () => {
    const sold = await test.payment();
    const hold = await test.payment({ captureMethod: 'manual' });
    const club = await aClub(test.world);
    const { sessionId } = await aSession(test.world, {});
    const page = await test.visit(viewer);
    for (const [path, shown, action] of [
      [`/payments/${sold.id}`, ['Refund'], 'give money back'],
      [`/payments/${hold.id}`, ['Capture €19.90', 'Release the hold'], 'capture or release a hold'],
      [`/subscriptions/${club.id}`, ['Cancel at the end of the period', 'Cancel now'], 'cancel'],
      [`/sessions/${sessionId}`, ['Expire'], 'end a checkout session'],
      [`/customers/${club.userId}`, ['Remove', 'Forget this person'], 'remove a saved card'],
      ['/reports?month=2020-01', ['Close the month'], 'close a month'],
    ] as const) {
      await page.goto(test.at(path));
      await main().getByRole('heading', { level: 1 }).waitFor();
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
      await main()
        .getByText(new RegExp(`^Only .* may ${action}`))
        .waitFor();
      expect({ [path]: { off, on } }).toEqual({ [path]: { off: shown, on: [] } });
    }
  });
});
