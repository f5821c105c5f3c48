// Webhook endpoints, their deliveries, events and the tester, in a browser against the real service
// and its real sender.

import type { Event } from '@svc/contract/events/events';
import { afterEach, describe, expect, it } from 'vitest';
import { deliverDue } from '../../../service/src/engine/runs/webhook-deliveries/deliver-due.ts';
import { setClock } from '../../../service/src/engine/steps/sandbox/set-clock.ts';
import { sql } from '../../../service/src/storage/database/sql.ts';
import { limits } from '../../../service/test/webhooks/deliveries.ts';
import {
  anEvent,
  aReceiver,
  aWebhookEndpoint,
  type Receiver,
} from '../../../service/test/webhooks/webhooks.ts';
import { homeTest, type Merchant } from '../../test/home-fixture.ts';

const test = homeTest();
const receivers: Receiver[] = [];
const cancelAll = sql(
  'test_page_cancel_deliveries',
  "update webhook_deliveries set state = 'cancelled' where state = 'pending'",
);
const setClockBack = sql('test_page_clock_back', "update clock_shift set shift = '0'");
afterEach(async () => {
  for (const one of receivers.splice(0)) await one.close();
  await test.db.database.write(cancelAll, []);
});

async function receiver(...given: Parameters<typeof aReceiver>): Promise<Receiver> {
  const made = await aReceiver(...given);
  receivers.push(made);
  return made;
}

async function adasShop() {
  const ada = await test.person();
  return { ada, shop: await test.merchantOf('Hooks', [[ada, 'owner']]) };
}

/** Far more than a test of many steps takes on two quiet cores. */
const wholeStoryMs = 60_000;
const visit = (shop: Merchant, rest = 'webhooks') =>
  test.page.goto(`/dashboard/${shop.id}/developers/${rest}`);
const endpointAt = (shop: Merchant, url: string) =>
  aWebhookEndpoint(test.db.database, shop, { url });
const eventOf = (shop: Merchant, given: Parameters<typeof anEvent>[2] = {}) =>
  anEvent(test.db.database, shop, given);
const deliver = () => deliverDue(test.ports, limits);
const secret = async () => (await test.page.locator('.once .secret code').textContent()) ?? '';
const deliveries = () => test.page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr');
const delivery = (text: string) => deliveries().filter({ hasText: text });
const lastOf = <T>(all: readonly T[]): T => {
  const last = all.at(-1);
  if (last === undefined) throw new Error('nothing came');
  return last;
};

describe('webhook endpoints', () => {
  it(
    'one is added, its secret shown once, tested, changed, switched off and on, deleted',
    async () => {
      const { ada, shop } = await adasShop();
      const target = await receiver();
      const page = await test.openAs(ada);
      await visit(shop);
      await page.getByText('No endpoint yet').waitFor();
      await test.look('webhooks-empty');
      await test.button('Add an endpoint').click();
      await page.getByLabel('Address').fill(target.url);
      await page.getByLabel('Description').fill('Shop backend');
      await page.getByLabel('Only what you choose').check();
      await test.button('Add endpoint').click();
      await test.alert().getByText('Choose at least one of the types.').waitFor();
      await page.getByLabel('item.purchased').check();
      await test.button('Add endpoint').click();
      await page.locator('.once').waitFor();
      const shown = await secret();
      expect(shown).toMatch(/^svc_whsec_/);
      await test.button('I have stored it').click();
      expect(await page.content()).not.toContain(shown);

      await page.getByRole('link', { name: target.url }).click();
      await page.getByText('item.purchased').waitFor();
      await test.button('Send a test event').click();
      await page.getByText('The test event arrived').waitFor();
      const { body, headers } = lastOf(target.received);
      expect(JSON.parse(body.toString())).toMatchObject({ type: 'webhook_endpoint.test' });
      expect(headers['svc-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);

      await test.button('Change').click();
      await page.getByLabel('All events').check();
      await test.button('Save endpoint').click();
      await test.news().getByText('The endpoint is saved.').waitFor();
      await page.getByText('All events', { exact: true }).waitFor();

      await test.button('New secret').click();
      await page.getByLabel('The current secret').selectOption('Signs for an hour more');
      await test.button('Make a new secret').click();
      await page.locator('.once').getByText('are also signed with the previous secret').waitFor();
      expect(await secret()).not.toBe(shown);
      await test.button('New secret').click();
      await page.getByText('If you make another secret, it stops at once').waitFor();
      await test.button('Cancel').click();
      await test.button('I have stored it').click();
      await test.button('Send a test event').click();
      await expect.poll(() => target.received.length).toBe(2);
      expect(lastOf(target.received).headers['svc-signature']).toMatch(/v1=.*,v1=/);

      await test.button('Disable').click();
      await test.answer('Disable');
      await page.getByText('Disabled by a member: nothing is sent.').waitFor();
      await test.button('Enable').click();
      await test.news().getByText('The endpoint is enabled.').waitFor();
      await test.button('Delete').click();
      await test.answer('Delete');
      await page.getByText('No endpoint yet').waitFor();
    },
    wholeStoryMs,
  );

  it('422 webhook_url_refused: what was typed stays', async () => {
    const { ada, shop } = await adasShop();
    const page = await test.openAs(ada);
    await visit(shop);
    await test.button('Add an endpoint').click();
    await page.getByLabel('Address').fill('http://192.168.1.1/hook');
    await test.button('Add endpoint').click();
    await test.alert().waitFor();
    expect(await page.getByLabel('Address').inputValue()).toBe('http://192.168.1.1/hook');
  });

  it('asks who is there before one is added, after some time', async () => {
    const { ada, shop } = await adasShop();
    const page = await test.openAs(ada, { minutesAgo: 20 });
    await visit(shop);
    await test.button('Add an endpoint').click();
    await page.getByLabel('Address').fill((await receiver()).url);
    await test.button('Add endpoint').click();
    await test.dialog().getByText('Is it you?').waitFor();
    await test.dialog().getByRole('button', { name: 'Cancel' }).click();
    await test.alert().waitFor();
    expect(await page.locator('.once').count()).toBe(0);
  });

  it('members look and change nothing', async () => {
    const ben = await test.person({ name: 'Ben' });
    const shop = await test.merchantOf('Hooks', [[ben, 'member']]);
    const endpoint = await endpointAt(shop, 'https://shop.example/hook');
    const page = await test.openAs(ben);
    await visit(shop);
    await page.getByRole('link', { name: 'https://shop.example/hook' }).waitFor();
    expect(await test.button('Add an endpoint').count()).toBe(0);
    await eventOf(shop, { type: 'item.purchased' });
    await test.db.database.write(cancelAll, []);
    await visit(shop, `webhooks/${endpoint.id}`);
    await delivery('Cancelled').waitFor();
    expect(await page.getByRole('checkbox', { name: /^Choose/ }).count()).toBe(0);
    for (const name of [
      'Send a test event',
      'Change',
      'New secret',
      'Disable',
      'Delete',
      'Set the fault',
      'Redeliver all failed since …',
    ])
      expect(await test.button(name).count(), name).toBe(0);
    await visit(shop, 'tester');
    await page.getByText('An owner or admin can deliver your events here.').waitFor();
  });
});

describe('deliveries', () => {
  it('tell what went wrong and what to do, and are sent again', async () => {
    const { ada, shop } = await adasShop();
    let status = 401;
    const target = await receiver((_, response) => response.writeHead(status).end('who are you?'));
    const endpoint = await endpointAt(shop, target.url);
    const page = await test.openAs(ada);
    await eventOf(shop, { type: 'payment.authorized' });
    await eventOf(shop, { type: 'item.purchased' });
    await deliver();
    await visit(shop, `webhooks/${endpoint.id}`);
    await page.getByText('Deliveries fail.').waitFor();
    await delivery('payment.authorized').getByText('Answered 401').waitFor();
    const cause = page.getByLabel('What to do');
    await cause.getByText('Answered 401, 2 of those shown.').waitFor();
    expect(await page.getByText('Does your server know this endpoint’s secret').count()).toBe(1);
    await test.look('webhooks-failing');

    await test.button('Disable').click();
    await test.answer('Disable');
    await test.news().getByText('The endpoint is disabled.').waitFor();
    await test.button('Add filter').click();
    await test.button('State').click();
    await page.getByRole('checkbox', { name: 'Cancelled' }).check();
    await page.keyboard.press('Escape');
    await page.getByText('2 deliveries', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?state=cancelled');
    status = 200;
    await test.button('Enable and redeliver all failed since …').click();
    await page.getByText('The endpoint is enabled first.').waitFor();
    await test.look('webhooks-outage');
    await test.button('Enable and redeliver').click();
    await test.news().getByText('2 events are on their way again.').waitFor();
    // The list has been read again: no delivery in it is cancelled.
    await page.getByText('0 deliveries', { exact: true }).waitFor();
    await test.button('Redeliver all failed since …').waitFor();
    await deliver();
    expect(target.received.filter(({ headers }) => headers['svc-redelivery'])).toHaveLength(2);
    await test.button('Remove filter State: Cancelled').click();
    await expect.poll(() => deliveries().count()).toBe(2);
    await page.getByRole('checkbox', { name: 'Choose item.purchased' }).check();
    await test.button('Send again').click();
    await test.news().getByText('1 event is on its way again').waitFor();
    await deliver();
    expect(target.received.filter(({ headers }) => headers['svc-redelivery'])).toHaveLength(3);
  });

  it('more than a page: has pages', async () => {
    const { ada, shop } = await adasShop();
    const endpoint = await endpointAt(shop, 'https://shop.example/hook');
    for (let made = 0; made < 30; made += 1) await eventOf(shop);
    await test.openAs(ada);
    await visit(shop, `webhooks/${endpoint.id}`);
    await expect.poll(() => deliveries().count()).toBe(25);
    await test.page.getByRole('link', { name: 'Next' }).click();
    await expect.poll(() => deliveries().count()).toBe(5);
  });

  it('an event shows its payload, each attempt with request and answer, and goes out again', async () => {
    const { ada, shop } = await adasShop();
    const target = await receiver((_, response) => response.writeHead(500).end('out of tea'));
    const endpoint = await endpointAt(shop, target.url);
    const other = 'https://other.example/hook';
    await endpointAt(shop, other);
    const page = await test.openAs(ada);
    await visit(shop, `webhooks/${endpoint.id}`);
    await test.button('Send a test event').click();
    await page.getByText('The test event failed').waitFor();
    await page.getByRole('link', { name: 'webhook_endpoint.test' }).click();
    const { id } = JSON.parse(lastOf(target.received).body.toString()) as Event;
    await test.block('Event').locator('.code-box').getByText(`"id": "${id}"`).waitFor();
    const attempt = test.row('Attempts', target.url);
    await attempt.getByText('Answered 500').waitFor();
    await attempt.getByText('Request and answer').click();
    await attempt.getByText('out of tea').waitFor();
    await attempt.getByText(`webhook-id: ${id}`).waitFor();
    await test.look('webhooks-event');
    // A test is for the endpoint that was tested.
    await page.getByLabel('To').selectOption(other);
    await test.button('Send again').click();
    await test.news().getByText('Nothing is sent').waitFor();
    await page.getByLabel('To').selectOption(target.url);
    await test.button('Send again').click();
    await test.news().getByText('The event is on its way again').waitFor();
    await deliver();
    await test.button('Look again').click();
    await test.row('Attempts', 'Redelivery').waitFor();
    expect(target.received).toHaveLength(2);
  });

  it('another merchant’s endpoint and event are not there', async () => {
    const { ada, shop } = await adasShop();
    const other = await test.merchant('Other');
    const endpoint = await endpointAt(other, 'https://other.example/hook');
    const { wireId } = await eventOf(other);
    await test.openAs(ada);
    await visit(shop, `webhooks/${endpoint.id}`);
    await test.alert().getByText('No such webhook endpoint.').waitFor();
    await visit(shop, `events/${wireId}`);
    await test.alert().getByText('No such event.').waitFor();
  });
});

describe('a sandbox whose clock was moved', () => {
  const days = (count: number) => setClock(count * 86_400_000, { database: test.db.database });

  it('tells its clock, and redelivers what is ahead of the browser’s', async () => {
    const { ada, shop } = await adasShop();
    const target = await receiver();
    const endpoint = await endpointAt(shop, target.url);
    const before = await test.openAs(ada);
    await visit(shop);
    await before.getByRole('link', { name: target.url }).waitFor();
    expect(await before.getByText('Clock of the sandbox').count()).toBe(0);
    try {
      await days(1 / 12);
      await before.reload();
      await before.getByText('Clock of the sandbox').waitFor();
      const { now } = await days(39);
      const page = await test.openAs(ada);
      await eventOf(shop);
      await test.db.database.write(cancelAll, []);
      await visit(shop, `webhooks/${endpoint.id}`);
      const clock = page.getByText('Clock of the sandbox').locator('time');
      const told = new Date((await clock.getAttribute('datetime')) ?? '').getTime();
      expect(Math.abs(told - new Date(now).getTime())).toBeLessThan(600_000);
      await test.look('webhooks-clock');
      await test.button('Redeliver all failed since …').click();
      await test.button('Redeliver').click();
      await test.news().getByText('1 event is on its way again.').waitFor();
    } finally {
      // Different from the sandbox, whose clock never goes back before an event.
      await test.db.database.write(setClockBack, []);
    }
  });
});

describe('the webhook tester', () => {
  const received = () => test.block('Received').locator('.row');
  const expectReceived = (count: number) => expect.poll(() => received().count()).toBe(count);

  it(
    'one button delivers the events to it; they appear, with their signatures explained',
    async () => {
      const { ada, shop } = await adasShop();
      const page = await test.openAs(ada);
      await visit(shop, 'tester');
      await test.button('Deliver my events to the tester').click();
      await page.getByText('Your endpoint that delivers here').waitFor();
      await test.button('Send a test event').click();
      await test.news().getByText('The test event arrived.').waitFor();
      await test.button('webhook_endpoint.test').click();
      await received().getByText('Signature valid').waitFor();
      const steps = received().locator('.opened').first();
      await steps.locator('summary').click();
      await steps.getByText('Valid: made with your secret').waitFor();
      await steps.getByText('✓ is in the header').waitFor();
      await test.look('webhooks-tester');

      const address =
        (await test.block('Webhook tester').locator('.secret code').textContent()) ?? '';
      await fetch(address, { method: 'POST', body: '{"type":"forged","id":"evt_0"}' });
      await test.button('forged').click();
      const forged = received().first();
      await forged.getByText('Signature not valid').waitFor();
      await forged.locator('summary').first().click();
      await forged.getByText('There is no signature.').first().waitFor();
      await forged.getByLabel('Compare with').selectOption('No. 1: webhook_endpoint.test');
      await forged.locator('.only-right').getByText('"type": "forged"').waitFor();

      await received().last().getByRole('button', { name: 'Send this event again' }).click();
      await page.getByText('The event is on its way again, labelled as redelivery.').waitFor();
      await deliver();
      await expectReceived(3);
      await received().first().getByText('Redelivery').waitFor();
      for (let sent = 0; sent < 60; sent += 20) {
        const posts = Array.from({ length: 20 }, () =>
          fetch(address, { method: 'POST', body: '1' }),
        );
        await Promise.all(posts);
      }
      await page.getByText('63 requests', { exact: true }).waitFor();
      while (await test.button('Show older requests').count()) {
        const before = await received().count();
        await test.button('Show older requests').click();
        await expect.poll(() => received().count()).toBeGreaterThan(before);
      }
      const numbers = await received()
        .getByText(/^No\. \d+$/)
        .allTextContents();
      expect(numbers).toEqual(Array.from({ length: 63 }, (_, n) => `No. ${63 - n}`));
      await test.button('Forget them').click();
      await page.getByText('Nothing received yet').waitFor();
    },
    wholeStoryMs,
  );

  it('answers and faults are chosen: 410 disables the endpoint, which is enabled again', async () => {
    const { ada, shop } = await adasShop();
    const page = await test.openAs(ada);
    await visit(shop, 'tester');
    await test.button('Deliver my events to the tester').click();
    await page
      .getByLabel('Deliver with a fault')
      .selectOption('Duplicate: send every delivery twice');
    await test.button('Set the fault').click();
    await test.news().getByText('Deliveries now: Duplicate').waitFor();
    await eventOf(shop);
    await deliver();
    await expectReceived(2);
    await received().first().getByText('Same event as No. 1', { exact: true }).waitFor();
    expect(await page.getByText('Same event as').count()).toBe(1);
    const times = await received().locator('time').allTextContents();
    expect(
      times.every((time) => /\d\d:\d\d:\d\d$/.test(time)),
      times.join(),
    ).toBe(true);
    await page.getByLabel('The tester answers').selectOption('410, which disables the endpoint');
    await test.button('Set the answer').click();
    await test.news().getByText('The tester’s answer is saved.').waitFor();
    await test.button('Send a test event').click();
    await page.getByText('Disabled: it answered 410.').waitFor();
    await test.button('Enable').click();
    await test.news().getByText('The endpoint is enabled.').waitFor();
  });
});
