// What a customer bought, on the customer's page, against the real sandbox: subscriptions and their end, payments, receipts.

import type { Scope } from '@svc/contract/rows/scopes';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { aPageLink, openLink } from '../../../test/customers/customer-pages.ts';
import {
  aClub,
  advanceToRenewal,
  cancelClub,
  endAll,
  renewAll,
  renewalsOf,
} from '../../../test/customers/subscriptions.ts';
import { aToken, callAs, newId } from '../../../test/harness.ts';
import { eventsOf } from '../../../test/payments/checkouts.ts';
import { mailsTo } from '../../../test/people/accounts.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aSession, pay, startWorld, type World } from '../../../test/world.ts';
import { copyPayments } from '../../engine/runs/payments/copy-payments.ts';

let world: World;
let server: TestServer;
beforeAll(async () => {
  world = await startWorld();
  server = await aServer(world.ports);
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});
afterEach(() => endAll(world));

type Page = { readonly userId: string; readonly token: string };

async function pageOf(userId: string): Promise<Page> {
  const { link } = await aPageLink(world.ports, { token: world.token, customerId: userId });
  return { userId, token: (await openLink(world.ports, link)).pageToken };
}
/** Opens the page with a link that a program with these scopes has made. */
async function pageBy(scopes: Scope[], userId: string): Promise<Page> {
  const token = await aToken(world.database, world.client, { scopes });
  const path = `POST /v1/customers/${userId}/page-links` as const;
  const { url } = (await callAs(server.app, token, path, { body: {} })).json();
  return { userId, token: (await openLink(world.ports, url.split('#')[1])).pageToken };
}
const call = (page: Page, what: `${'GET' | 'POST'} ${string}`) =>
  callAs(server.app, null, what.replace(' ', ' /v1/customer-page') as typeof what, {
    headers: { 'x-customer-page-token': page.token },
    ...(what.startsWith('POST') ? { body: {} } : {}),
  });
const subscriptions = async (page: Page) => (await call(page, 'GET /subscriptions')).json().data;
const payments = async (page: Page, query = '') =>
  (await call(page, `GET /payments${query}`)).json();
/** Waits for the copy that the list is read from: transactions of other tests hold it up. */
const copied = (page: Page, many: number) =>
  expect
    .poll(async () => {
      await copyPayments(world.ports, { step: 500 });
      return (await payments(page)).data.length;
    })
    .toBe(many);
const cancel = (page: Page, id: string) => call(page, `POST /subscriptions/${id}/cancel`);
const resume = (page: Page, id: string) => call(page, `POST /subscriptions/${id}/resume`);
/** Asks for another address of the page's customer; returns the link of the mail. */
async function askedFor(page: Page, email: string): Promise<string> {
  const asked = await callAs(server.app, null, 'POST /v1/customer-page/address', {
    body: { email },
    headers: { 'x-customer-page-token': page.token },
  });
  expect(asked.statusCode).toBe(202);
  const [mail] = await mailsTo(world.ports, email);
  return /#address\.([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? '';
}
const confirm = async (link: string) => {
  const path = 'POST /v1/customer-page/confirm-address';
  return (await callAs(server.app, null, path, { body: { link } })).statusCode;
};
const codeOf = (answer: { statusCode: number; json(): { code?: string } }) => [
  answer.statusCode,
  answer.json().code,
];

describe('getCustomerPageSubscriptions', () => {
  it('200: price, card, next payment, and nothing of the merchant’s own', async () => {
    const club = await aClub(world, { metadata: { order: 'secret' } });
    const [shown, ...others] = await subscriptions(await pageOf(club.userId));
    expect(others).toEqual([]);
    expect(shown).toMatchObject({
      ...{ id: club.id, productName: expect.any(String), quantity: 1, interval: 'month' },
      ...{ currency: 'EUR', status: 'active', paymentMethodId: club.methodId },
      ...{ cancelAt: null, canceledAt: null, may: { cancel: true, resume: false } },
    });
    expect(shown.nextRenewalAt).toBe(shown.currentPeriodEnd);
    expect(JSON.stringify(shown)).not.toContain('secret');
  });

  it('another customer of the merchant sees none of it', async () => {
    await aClub(world);
    const other = await aClub(world);
    const ids = (await subscriptions(await pageOf(other.userId))).map(
      ({ id }: { id: string }) => id,
    );
    expect(ids).toEqual([other.id]);
  });
});

describe('cancelCustomerPageSubscription', () => {
  it('200: ends with the period that was paid, is not renewed, and the audit log names the customer', async () => {
    const club = await aClub(world);
    const page = await pageOf(club.userId);
    const ended = await cancel(page, club.id);
    expect(ended.statusCode, ended.body).toBe(200);
    expect(ended.json()).toMatchObject({
      ...{ status: 'active', nextRenewalAt: null, may: { cancel: false, resume: true } },
      cancelAt: ended.json().currentPeriodEnd,
    });
    expect((await cancel(page, club.id)).json()).toEqual(ended.json());
    expect(await subscriptions(page)).toEqual([ended.json()]);
    const { data } = (
      await callAs(
        server.app,
        world.token,
        `GET /v1/audit-entries?actorCustomerId[eq]=${club.userId}`,
      )
    ).json();
    expect(data).toMatchObject([
      {
        action: 'subscription.cancellation_scheduled',
        resource: { type: 'subscription', id: club.id },
        actor: { kind: 'customer', customerId: club.userId, userId: world.token.userId },
      },
    ]);
    await advanceToRenewal(world, club.id);
    await renewAll(world);
    expect(await renewalsOf(world, club.id)).toEqual([]);
    const read = await callAs(server.app, world.token, `GET /v1/subscriptions/${club.id}`);
    expect(read.json()).toMatchObject({ status: 'canceled', cancelReason: 'customer_requested' });
    expect(await eventsOf(world, club.id)).toEqual([
      ...['subscription.created', 'subscription.cancellation_scheduled', 'subscription.canceled'],
    ]);
  });

  it('404 subscription_not_found: another customer’s as one that never was, and it runs on', async () => {
    const [club, other] = [await aClub(world), await aClub(world)];
    const page = await pageOf(other.userId);
    for (const act of [cancel, resume]) {
      const [foreign, none] = [await act(page, club.id), await act(page, newId())];
      expect(codeOf(foreign)).toEqual([404, 'subscription_not_found']);
      expect({ ...foreign.json(), requestId: '' }).toEqual({ ...none.json(), requestId: '' });
    }
    expect(await eventsOf(world, club.id)).toEqual(['subscription.created']);
  });

  it('403 customer_page_limited: a token that may not end it sees it, and one that may not read sees nothing', async () => {
    const club = await aClub(world);
    const page = await pageBy(['payment_methods:write', 'payments:read'], club.userId);
    expect((await subscriptions(page))[0].may).toEqual({ cancel: false, resume: false });
    expect(codeOf(await cancel(page, club.id))).toEqual([403, 'customer_page_limited']);
    const blind = await pageBy(['payment_methods:write'], club.userId);
    for (const path of ['subscriptions', 'payments', `payments/${club.paymentId}/receipt`]) {
      expect(codeOf(await call(blind, `GET /${path}`))).toEqual([403, 'customer_page_limited']);
    }
    expect(await eventsOf(world, club.id)).toEqual(['subscription.created']);
  });
});

describe('a merchant that has switched the end on the page off', () => {
  const switchTo = async (cancel: boolean) => {
    const changed = await callAs(server.app, world.token, 'PATCH /v1/client', {
      body: { customerPage: { cancel } },
    });
    expect(changed.json().customerPage).toMatchObject({ cancel });
  };
  afterEach(() => switchTo(true));

  it('403 customer_page_cancel_off: nothing ends, the page is told so, and an end that was planned is taken back', async () => {
    const [club, planned] = [await aClub(world), await aClub(world)];
    const plannedPage = await pageOf(planned.userId);
    await cancel(plannedPage, planned.id);
    await switchTo(false);
    const page = await pageOf(club.userId);
    expect((await subscriptions(page))[0].may).toEqual({ cancel: false, resume: false });
    expect(codeOf(await cancel(page, club.id))).toEqual([403, 'customer_page_cancel_off']);
    expect(await eventsOf(world, club.id)).toEqual(['subscription.created']);
    expect((await cancel(plannedPage, planned.id)).statusCode).toBe(200);
    expect((await resume(plannedPage, planned.id)).json().may).toEqual({
      cancel: false,
      resume: false,
    });
    await switchTo(true);
    expect((await cancel(page, club.id)).json().may).toEqual({ cancel: false, resume: true });
  });
});

describe('resumeCustomerPageSubscription', () => {
  it('200: taken back, and renewed again', async () => {
    const club = await aClub(world);
    const page = await pageOf(club.userId);
    await cancel(page, club.id);
    const resumed = await resume(page, club.id);
    expect(resumed.json()).toMatchObject({
      ...{ status: 'active', cancelAt: null, may: { cancel: true, resume: false } },
      nextRenewalAt: resumed.json().currentPeriodEnd,
    });
    expect((await resume(page, club.id)).json()).toEqual(resumed.json());
    const later = await pageOf(club.userId);
    await advanceToRenewal(world, club.id);
    await renewAll(world);
    expect(await eventsOf(world, club.id)).toEqual([
      ...['subscription.created', 'subscription.cancellation_scheduled', 'subscription.resumed'],
      'subscription.renewed',
    ]);
    // Half an hour has passed for the page.
    expect(codeOf(await call(later, 'GET /subscriptions'))[1]).toBe('customer_page_not_found');
  });

  it('is renewed in the name of the address that the customer has confirmed; earlier payments keep theirs', async () => {
    const club = await aClub(world);
    const email = `moved-${club.userId}@new.example`;
    const link = await askedFor(await pageOf(club.userId), email);
    expect(await confirm(link)).toBe(200);
    await advanceToRenewal(world, club.id);
    await renewAll(world);
    const { id: renewal = '' } = (await renewalsOf(world, club.id)).at(-1) ?? {};
    const emailOf = async (id: string) =>
      (await callAs(server.app, world.token, `GET /v1/payments/${id}`)).json().email;
    expect(renewal).not.toBe(club.paymentId);
    expect(await emailOf(renewal)).toBe(email);
    expect(await emailOf(club.paymentId)).not.toBe(email);
  });

  it('a session with the address that was replaced leaves the confirmed one, also at once; PATCH sets it again', async () => {
    const { userId } = await aClub(world);
    const path = `/v1/customers/${userId}` as const;
    const emailNow = async () =>
      (await callAs(server.app, world.token, `GET ${path}`)).json().email;
    const former = await emailNow();
    let email = former;
    const openSession = (given: string) => aSession(world, { userId, email: given, metadata: {} });
    for (const name of ['one', 'two', 'three']) {
      const replaced = email;
      email = `${name}-${userId}@new.example`;
      const link = await askedFor(await pageOf(userId), email);
      expect((await Promise.all([confirm(link), openSession(replaced)]))[0]).toBe(200);
      await openSession(former.toUpperCase());
      expect(await emailNow()).toBe(email);
    }
    await openSession('other@new.example');
    expect(await emailNow()).toBe('other@new.example');
    await callAs(server.app, world.token, `PATCH ${path}`, { body: { email: former } });
    await openSession(former);
    expect(await emailNow()).toBe(former);
  });

  it('409 subscription_ended: once it is over', async () => {
    const club = await aClub(world);
    const page = await pageOf(club.userId);
    await cancelClub(world, club.id);
    expect((await subscriptions(page))[0].may).toEqual({ cancel: false, resume: false });
    expect(codeOf(await resume(page, club.id))).toEqual([409, 'subscription_ended']);
  });

  it('403 subscription_end_by_merchant: an end that the merchant planned stays', async () => {
    const club = await aClub(world);
    const page = await pageOf(club.userId);
    const path = `POST /v1/subscriptions/${club.id}/cancel` as const;
    await callAs(server.app, world.token, path, { body: { at: 'period_end' } });
    expect((await subscriptions(page))[0].may).toEqual({ cancel: false, resume: false });
    expect(codeOf(await resume(page, club.id))).toEqual([403, 'subscription_end_by_merchant']);
    expect((await subscriptions(page))[0].cancelAt).not.toBeNull();
  });
});

describe('getCustomerPagePayments', () => {
  it('200: the newest first, with what was bought, page by page, refunds among them', async () => {
    const club = await aClub(world);
    await callAs(server.app, world.token, `POST /v1/payments/${club.paymentId}/refunds`, {
      body: { amount: 4, reason: 'requested_by_customer' },
      headers: { 'idempotency-key': newId() },
    });
    const page = await pageOf(club.userId);
    await copied(page, 2);
    const { data, hasMore } = await payments(page);
    expect(hasMore).toBe(false);
    expect(data).toMatchObject([
      { type: 'refund', status: 'refunded', amount: 4, hasReceipt: true },
      {
        ...{ id: club.paymentId, type: 'purchase', status: 'partly_refunded', hasReceipt: true },
        ...{ currency: 'EUR', productNames: [expect.any(String)] },
        paymentMethod: { brand: 'visa', lastFour: '4242' },
      },
    ]);
    const first = await payments(page, '?limit=1');
    expect(first).toEqual({ data: [data[0]], hasMore: true });
    expect(await payments(page, `?limit=1&before=${data[0].id}`)).toEqual({
      data: [data[1]],
      hasMore: false,
    });
    expect(codeOf(await call(page, 'GET /payments?limit=101'))).toEqual([400, 'invalid_query']);
  });

  it('a payment that a stranger made under the customer’s id is not shown', async () => {
    const club = await aClub(world);
    const stranger = await aSession(world, { userId: club.userId });
    const answer = await pay(world, stranger);
    const paymentId = 'body' in answer ? answer.body.paymentId : null;
    expect(paymentId).not.toBeNull();
    const page = await pageOf(club.userId);
    // A payment that is made later than the stranger's is copied later too.
    const other = await aClub(world);
    await copied(await pageOf(other.userId), 1);
    const ids = (await payments(page)).data.map(({ id }: { id: string }) => id);
    expect(ids).toEqual([club.paymentId]);
    expect(codeOf(await call(page, `GET /payments/${paymentId}/receipt`))).toEqual([
      404,
      'payment_not_found',
    ]);
  });
});

describe('getCustomerPageReceipt', () => {
  it('200: the address of the receipt', async () => {
    const club = await aClub(world);
    const answer = await call(await pageOf(club.userId), `GET /payments/${club.paymentId}/receipt`);
    expect(answer.statusCode, answer.body).toBe(200);
    const path = `GET /v1/payments/${club.paymentId}/receipt` as const;
    expect(answer.json()).toEqual({
      url: (await callAs(server.app, world.token, path)).json().url,
    });
  });

  it('404 payment_not_found: another customer’s as one that never was', async () => {
    const [club, other] = [await aClub(world), await aClub(world)];
    const page = await pageOf(other.userId);
    const [foreign, none] = [
      await call(page, `GET /payments/${club.paymentId}/receipt`),
      await call(page, `GET /payments/${newId()}/receipt`),
    ];
    expect(codeOf(foreign)).toEqual([404, 'payment_not_found']);
    expect({ ...foreign.json(), requestId: '' }).toEqual({ ...none.json(), requestId: '' });
    expect(codeOf(await call(page, 'GET /payments/x/receipt'))).toEqual([
      400,
      'invalid_payment_id',
    ]);
  });
});
