// What a customer changes on the customer's page, against the real sandbox: detachment, setup, default.

import type { Role } from '@svc/contract/rows/roles';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aPageLink, openLink } from '../../../test/customers/customer-pages.ts';
import { aSavedCard, vouchedSession } from '../../../test/customers/saved-cards.ts';
import { aCustomer, aToken, callAs, newId } from '../../../test/harness.ts';
import { aMemberOf } from '../../../test/people/members.ts';
import { aSignIn, fromOwnPage } from '../../../test/people/people.ts';
import { aServer, type TestServer } from '../../../test/server.ts';
import { aCardToken, cards, startWorld, type World } from '../../../test/world.ts';
import { sql } from '../../storage/database/sql.ts';

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

type Page = { readonly userId: string; readonly token: string };

async function aPage(): Promise<Page> {
  const { id } = await aCustomer(world.database, world.client);
  const { link } = await aPageLink(world.ports, { token: world.token, customerId: id });
  return { userId: id, token: (await openLink(world.ports, link)).pageToken };
}
const call = (
  page: Page,
  what: `${'GET' | 'POST' | 'PATCH' | 'DELETE'} ${string}`,
  body?: object,
) => callAs(server.app, null, what, { body, headers: { 'x-customer-page-token': page.token } });
const listMethods = async (page: Page) =>
  (await call(page, 'GET /v1/customer-page/payment-methods')).json() as {
    data: { id: string }[];
    defaultPaymentMethodId: string | null;
  };
const remove = (page: Page, id: string) =>
  call(page, `DELETE /v1/customer-page/payment-methods/${id}`);
const emailOf = async ({ userId }: Page) =>
  (await callAs(server.app, world.token, `GET /v1/customers/${userId}`)).json() as {
    email: string;
  };
const bodyOf = (response: { json(): unknown }) => {
  const { requestId: _, ...body } = response.json() as Record<string, unknown>;
  return body;
};

describe('deleteCustomerPageMethod', () => {
  it('204: removed, gone from the list, and 204 again', async () => {
    const page = await aPage();
    const card = await aSavedCard(world, { userId: page.userId });
    expect((await listMethods(page)).data).toMatchObject([{ id: card.id }]);
    expect((await remove(page, card.id)).statusCode).toBe(204);
    expect((await listMethods(page)).data).toEqual([]);
    expect((await remove(page, card.id)).statusCode).toBe(204);
  });

  it('404 payment_method_not_found: another customer’s of the same merchant as one that never was', async () => {
    const [page, other] = [await aPage(), await aPage()];
    const theirs = await aSavedCard(world, { userId: other.userId });
    const foreign = await remove(page, theirs.id);
    expect([foreign.statusCode, foreign.json().code]).toEqual([404, 'payment_method_not_found']);
    expect(bodyOf(foreign)).toEqual(bodyOf(await remove(page, newId())));
    expect((await listMethods(other)).data).toMatchObject([{ id: theirs.id }]);
    // The tombstone belongs to another customer, as its card did.
    expect((await remove(other, theirs.id)).statusCode).toBe(204);
    expect((await remove(page, theirs.id)).statusCode).toBe(404);
  });

  it('400 for an id that is none', async () => {
    expect((await remove(await aPage(), 'x')).statusCode).toBe(400);
  });

  it('409 payment_method_has_active_payment: and the card stays', async () => {
    const page = await aPage();
    const card = await aSavedCard(world, { userId: page.userId, number: cards.needs3ds });
    const session = await vouchedSession(world, { userId: page.userId });
    const paid = await callAs(
      server.app,
      { nonce: session.nonce },
      `POST /v1/checkouts/sessions/${session.sessionId}/process`,
      {
        headers: { 'x-user-id': page.userId },
        body: {
          sessionId: session.sessionId,
          tokenizedData: { provider: 'cardprovider', type: 'card', paymentMethodId: card.id },
          accountData: { userId: page.userId, email: 'buyer@example.test' },
        },
      },
    );
    expect(paid.json().type).toBe('3ds_required');
    const { statusCode, body } = await remove(page, card.id);
    expect([statusCode, JSON.parse(body).code]).toEqual([409, 'payment_method_has_active_payment']);
    expect((await listMethods(page)).data).toMatchObject([{ id: card.id }]);
  });

  it('502 payment_method_deletion_failed: told with what to do, and the card stays', async () => {
    const page = await aPage();
    const card = await aSavedCard(world, { userId: page.userId });
    await world.fault({ path: '/v1/customers' }, 'error_500', { count: 20 });
    const answer = await remove(page, card.id);
    await world.control('DELETE', '/_control/faults');
    expect(answer.statusCode).toBe(502);
    expect(answer.json()).toMatchObject({
      code: 'payment_method_deletion_failed',
      reason: expect.any(String),
      resolution: expect.any(String),
      retrySafe: expect.any(Boolean),
    });
    expect((await listMethods(page)).data).toMatchObject([{ id: card.id }]);
  });
});

describe('createCustomerPageSetup', () => {
  it('201: a setup session of this customer, whose card is then listed and the default', async () => {
    const page = await aPage();
    const opened = await call(page, 'POST /v1/customer-page/setup-sessions', {});
    expect(opened.statusCode).toBe(201);
    const session = opened.json();
    expect(session).toMatchObject({
      checkoutMode: 'setup',
      totals: null,
      products: [],
      successUrl: `http://localhost:4000/m/${world.client.id}`,
      cancelUrl: `http://localhost:4000/m/${world.client.id}`,
      accountData: { userId: page.userId, email: expect.stringMatching(/^.•••@/) },
    });
    const { email } = await emailOf(page);
    expect(opened.body).not.toContain(email);
    const read = `GET /v1/checkouts/sessions/${session.id}` as const;
    const shown = await callAs(server.app, { nonce: session.nonce }, read);
    expect(shown.json().accountData).toEqual(session.accountData);
    expect(shown.body).not.toContain(email);
    // The session lives no longer than the page.
    expect(Date.parse(session.expiresAt) - Date.parse(session.createdAt)).toBe(30 * 60_000);
    const checkout = {
      sessionId: session.id,
      nonce: session.nonce,
      userId: page.userId,
      mountToken: session.vault.mountToken,
    };
    const token = await aCardToken(world, checkout, cards.approved);
    const path = `POST /v1/checkouts/sessions/${session.id}/card-setup` as const;
    const kept = await callAs(server.app, { nonce: session.nonce }, path, { body: { token } });
    expect(kept.json()).toMatchObject({ type: 'success' });
    const { paymentMethodId } = kept.json();
    const { data, defaultPaymentMethodId } = await listMethods(page);
    expect(data).toMatchObject([{ id: paymentMethodId, lastFour: '4242', status: 'active' }]);
    expect(defaultPaymentMethodId).toBe(paymentMethodId);
  });

  it('an unfinished one is never listed', async () => {
    const page = await aPage();
    await call(page, 'POST /v1/customer-page/setup-sessions', {});
    expect((await listMethods(page)).data).toEqual([]);
  });
});

describe('updateCustomerPageDefault', () => {
  const choose = (page: Page, paymentMethodId: string) =>
    call(page, 'PATCH /v1/customer-page/default', { paymentMethodId });

  it('200: the other card is the default, and the list says so', async () => {
    const page = await aPage();
    const first = await aSavedCard(world, { userId: page.userId });
    const second = await aSavedCard(world, { userId: page.userId });
    expect((await listMethods(page)).defaultPaymentMethodId).toBe(first.id);
    const answer = await choose(page, second.id.toUpperCase());
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual(await listMethods(page));
    expect(answer.json().defaultPaymentMethodId).toBe(second.id);
  });

  it('404 payment_method_not_found: another customer’s, and nothing changes', async () => {
    const [page, other] = [await aPage(), await aPage()];
    const theirs = await aSavedCard(world, { userId: other.userId });
    const answer = await choose(page, theirs.id);
    expect([answer.statusCode, answer.json().code]).toEqual([404, 'payment_method_not_found']);
    expect((await listMethods(page)).defaultPaymentMethodId).toBeNull();
  });
});

describe('a page opens no more than the maker of its link may', () => {
  const limited = [403, 'customer_page_limited'];
  const codeOf = (response: { statusCode: number; body: string; json(): { code?: string } }) => [
    response.statusCode,
    response.body === '' ? undefined : response.json().code,
  ];
  const everything = {
    ...{ add: true, remove: true, makeDefault: true, replace: true, seePurchases: true },
    ...{ seeDetails: true, changeDetails: true },
  };

  /** Opens a page by a link that the role makes in a browser. */
  async function aPageBy(role: Role) {
    const person = await aMemberOf(world.ports, world.client, { role });
    const headers = fromOwnPage(await aSignIn(world.ports, person), world.client.id);
    return { ...(await openMade(headers)), person };
  }
  async function openMade(headers: Readonly<Record<string, string>>) {
    const { id } = await aCustomer(world.database, world.client);
    const made = await callAs(server.app, null, `POST /v1/customers/${id}/page-links`, {
      headers,
      body: {},
    });
    expect(made.statusCode, made.body).toBe(201);
    const opened = await openLink(world.ports, made.json().url.split('#')[1] ?? '');
    return { userId: id, token: opened.pageToken, may: opened.may };
  }
  const tryAll = async (page: Page) => [
    codeOf(await call(page, 'GET /v1/customer-page/payment-methods')),
    codeOf(await remove(page, newId())),
    codeOf(await call(page, 'POST /v1/customer-page/setup-sessions', {})),
    codeOf(await call(page, 'PATCH /v1/customer-page/default', { paymentMethodId: newId() })),
  ];
  const notFound = [404, 'payment_method_not_found'];

  it.each(['owner', 'admin', 'member', 'support'] as const)('all of it: %s', async (role) => {
    const page = await aPageBy(role);
    expect(page.may).toEqual(everything);
    expect(await tryAll(page)).toEqual([[200, undefined], notFound, [201, undefined], notFound]);
  });

  it('403 customer_page_limited: finance neither adds nor removes a card, and whoever has a lower role now', async () => {
    const page = await aPageBy('finance');
    expect(page.may).toEqual({ ...everything, add: false, remove: false, replace: false });
    expect(await tryAll(page)).toEqual([[200, undefined], limited, limited, notFound]);
    const lowered = await aPageBy('member');
    await world.database.write(setRole, [lowered.person.id, 'viewer']);
    expect(await tryAll(lowered)).toEqual([[200, undefined], limited, limited, limited]);
  });

  it('403 customer_page_limited: a program’s page has the scopes of its token', async () => {
    const { authorization } = await aToken(world.database, world.client, {
      scopes: ['payment_methods:write'],
    });
    const page = await openMade({ authorization });
    expect(page.may).toEqual({
      ...{ ...everything, makeDefault: false, seePurchases: false },
      ...{ seeDetails: false, changeDetails: false },
    });
    expect((await tryAll(page)).at(-1)).toEqual(limited);
  });

  it('404 customer_page_not_found: once the maker has left, or the maker’s token was revoked', async () => {
    const gone = [404, 'customer_page_not_found'];
    const page = await aPageBy('admin');
    await world.database.write(leave, [page.person.id]);
    expect(await tryAll(page)).toEqual([gone, gone, gone, gone]);
    const token = await aToken(world.database, world.client);
    const ofProgram = await openMade({ authorization: token.authorization });
    const { link } = await aPageLink(world.ports, { token, customerId: ofProgram.userId });
    await world.database.write(revoke, [token.id]);
    expect(await tryAll(ofProgram)).toEqual([gone, gone, gone, gone]);
    await expect(openLink(world.ports, link)).rejects.toMatchObject({
      code: 'customer_page_not_found',
    });
  });

  it('the audit log names the customer and the maker of the link', async () => {
    const page = await aPageBy('support');
    const card = await aSavedCard(world, { userId: page.userId });
    const second = await aSavedCard(world, { userId: page.userId });
    await call(page, 'PATCH /v1/customer-page/default', { paymentMethodId: second.id });
    await call(page, 'POST /v1/customer-page/setup-sessions', {});
    await remove(page, card.id);
    const query = `actorCustomerId[eq]=${page.userId}`;
    const { data } = (
      await callAs(server.app, world.token, `GET /v1/audit-entries?${query}`)
    ).json();
    const actor = {
      kind: 'customer',
      customerId: page.userId,
      userId: page.person.id,
      email: page.person.email,
    };
    expect(data).toMatchObject([
      { action: 'payment_method.removal_asked', actor },
      { action: 'customer_page.setup_created', actor },
      { action: 'customer.updated', actor },
    ]);
    const [{ actor: found }] = data;
    const link = (
      await callAs(
        server.app,
        world.token,
        `GET /v1/audit-entries?action[eq]=customer_page.link_created&resourceId[eq]=${page.userId}`,
      )
    ).json();
    expect(link.data[0].after.pageId).toBe(found.credentialId);
  });
});

const setRole = sql('test_page_role', 'update memberships set role = $2 where user_id = $1');
const leave = sql('test_page_leave', 'delete from memberships where user_id = $1');
const revoke = sql('test_page_revoke', 'update api_tokens set revoked_at = now() where id = $1');
