// What only our plugin of Medusa is asked: its options, its sentences, what Medusa's own admin and a shop's own code can
// do to a payment, saved cards.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { slowRefund } from './buyer.ts';
import type { Case, Course } from './cases.ts';
import { askSvc } from './ground.ts';
import type { Customer, Medusa } from './medusa.ts';
import { aSecondMerchant } from './second-merchant.ts';

const shopOf = ({ shop }: Course): Medusa => shop as Medusa;
const nothing = { captured: 0, refunded: 0, hasOrder: false };

/** A Svc of before: the real one, to which a call or a field of today is unknown. */
async function openOldSvc(apiUrl: string, unknown: string) {
  const age = (text: string) => text.replaceAll(unknown, `${unknown}OfToday`);
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const { method = 'GET', url = '' } = request;
    const init = { method, headers: headers as Record<string, string> };
    const sent = body ? { ...init, body: age(body) } : init;
    const answer = await fetch(`${apiUrl}${age(url)}`, sent);
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Signs a customer up, and buys as this one until it is disposed of. */
async function signUp(shop: Medusa, name: string): Promise<Disposable> {
  const email = `${name}@example.com`;
  const password = 'supersecret';
  const register = '/auth/customer/emailpass/register';
  const token = await shop.get<string>('token', 'POST', register, { email, password });
  const become = (customer: Customer | undefined) => {
    shop.customer = customer;
  };
  become({ email, token });
  await shop.get('customer', 'POST', '/store/customers', { email });
  const sign = '/auth/customer/emailpass';
  become({ email, token: await shop.get<string>('token', 'POST', sign, { email, password }) });
  return { [Symbol.dispose]: () => become(undefined) };
}

const cardsOf = (shop: Medusa) => shop.get<{ id: string }[]>('cards', 'GET', '/store/svc/cards');

/** Pays and orders as a customer who keeps the card. Returns the card as it is listed then. */
async function keepCard(course: Course): Promise<{ id: string }> {
  await course.pay(await course.begin(20), undefined, true);
  await course.press('order', course.shop.placeOrder(course.cart));
  const [card] = await cardsOf(shopOf(course));
  if (!card) throw new Error('no saved card is listed');
  return card;
}

/** The session of the cart's payment, as a shop's own developer finds it. */
const findSession = (cart: string) => `
  const { data } = await query.graph({
    entity: 'cart',
    fields: ['payment_collection.id', 'payment_collection.payment_sessions.*'],
    filters: { id: '${cart}' },
  });
  const { id, payment_sessions: [session] } = data[0].payment_collection;`;

export const medusaCases: readonly Case[] = [
  {
    name: 'total with more decimals',
    async run(course) {
      await course.hold(11.8881);
      await course.logs(/11.8881 EUR has more decimals/);
      await course.capture();
      await course.refund(11.8881);
      return { captured: 11.89, refunded: 11.89 };
    },
  },
  {
    name: 'total below the least of the provider',
    async run(course) {
      await course.pay(await course.begin(0.1));
      await course.logs(/Nobody can pay 0.1 EUR/);
      await course.press('order', course.shop.placeOrder(course.cart));
      return nothing;
    },
  },
  {
    name: 'begun again after the hold',
    async run(course) {
      course.ground.hooks.isLosing = true;
      await course.pay(await course.begin(20));
      await course.pay(await course.shop.startPayment(course.cart));
      course.ground.hooks.isLosing = false;
      await course.press('order', course.shop.placeOrder(course.cart));
      await course.capture();
      return { captured: 20, refunded: 0, released: 20 };
    },
  },
  {
    name: 'part of a capture',
    async run(course) {
      await course.hold(20);
      const shop = shopOf(course);
      const path = `/admin/payments/${await shop.paymentOf(course.cart)}/capture`;
      await course.refused(() => shop.get('payment', 'POST', path, { amount: 5 }));
      const { captured } = await course.ledger();
      if (captured !== 0) throw new Error(`${captured} captured`);
      await course.press('capture 20', shop.ask('POST', path, { amount: 20 }));
      return { captured: 20, refunded: 0 };
    },
  },
  {
    name: 'total of an open session changed by own code',
    async run(course) {
      const payable = await course.begin(20);
      await shopOf(course).exec(`async ({ payment, query }) => {${findSession(course.cart)}
        await payment.updatePaymentCollections(id, { amount: 30 });
        await payment.updatePaymentSession({ ...session, amount: 30 });
      }`);
      await course.pay(payable);
      await course.press('order', course.shop.placeOrder(course.cart));
      await course.capture();
      return { captured: 30, refunded: 0 };
    },
  },
  {
    name: 'total changed by own code after the hold',
    async run(course) {
      course.ground.hooks.isLosing = true;
      await course.pay(await course.begin(20));
      await shopOf(course).exec(`async ({ payment, query }) => {${findSession(course.cart)}
        await payment.updatePaymentCollections(id, { amount: 30 });
      }`);
      course.ground.hooks.isLosing = false;
      await course.press('order', course.shop.placeOrder(course.cart));
      await course.logs(/20 EUR was paid, the order comes to 30 EUR/);
      return { ...nothing, released: 20 };
    },
  },
  {
    name: 'saved card',
    async run(course) {
      const shop = shopOf(course);
      using _ = await signUp(shop, 'grace');
      const card = await keepCard(course);
      course.cart = await shop.createCart({ currency: 'EUR', amount: 30 });
      await shop.startPayment(course.cart, card.id);
      await course.press('order by saved card', shop.placeOrder(course.cart));
      await course.capture();
      {
        using _other = await signUp(shop, 'mallory');
        await course.press(
          'delete of another',
          shop.ask('DELETE', `/store/svc/cards?id=${card.id}`),
        );
        course.said.push(`another lists ${(await cardsOf(shop)).length}`);
        const cart = await shop.createCart({ currency: 'EUR', amount: 30 });
        await shop.startPayment(cart, card.id);
        await course.press('order by the card of another', shop.placeOrder(cart));
        await course.logs(/could not be confirmed/);
      }
      return { captured: 30, refunded: 0 };
    },
  },
  {
    name: 'saved card removed',
    async run(course) {
      const shop = shopOf(course);
      using _ = await signUp(shop, 'ada');
      const { id } = await keepCard(course);
      await course.press('delete', shop.ask('DELETE', `/store/svc/cards?id=${id}`));
      const left = (await cardsOf(shop)).length;
      if (left !== 0) throw new Error(`${left} cards are left`);
      return { captured: 0, refunded: 0 };
    },
  },
  {
    name: 'captured at once',
    async run(course) {
      await using _ = await shopOf(course).offer('now', { capture: true });
      await course.hold(20);
      await course.refund(5);
      return { captured: 20, refunded: 5 };
    },
  },
  {
    name: 'captured at once, webhook lost',
    async run(course) {
      await using _ = await shopOf(course).offer('now', { capture: true });
      course.ground.hooks.isLosing = true;
      await course.pay(await course.begin(20));
      await course.ordered(150_000);
      course.ground.hooks.isLosing = false;
      return { captured: 20, refunded: 0 };
    },
  },
  {
    name: 'older Svc',
    async run(course) {
      for (const unknown of ['checkout-sessions', 'replaces']) {
        await using old = await openOldSvc(course.ground.block.apiUrl, unknown);
        await using _ = await shopOf(course).offer(`old-${unknown}`, { baseUrl: old.baseUrl });
        await course.refused(() => course.begin(20));
        await course.logs(/The payment cannot begin: .*older than the plugin/);
      }
      return nothing;
    },
  },
  {
    name: 'wrong token and secret',
    async run(course) {
      const wrong = { apiToken: 'svc_wrong', webhookSecret: 'svc_whsec_d3Jvbmc=' };
      await using _ = await shopOf(course).offer('wrong', wrong);
      await course.refused(() => course.begin(20));
      await course.logs(/Check clientId and apiToken/);
      await course.ground.hooks.resend('/hooks/payment/svc_wrong');
      await course.logs(/A webhook was refused/);
      return nothing;
    },
  },
  {
    name: 'no account at the provider',
    async run(course) {
      const { ground } = course;
      const list = await ground.svc(['gateways', 'list']);
      const gateway = /^(\S{36}).* cardprovider /m.exec(list)?.[1] ?? '';
      const setActive = (yesNo: string) =>
        ground.svc(['gateways', 'change', '--gateway', gateway, '--active', yesNo]);
      await setActive('no');
      try {
        await course.refused(() => course.begin(20));
        await course.logs(/The payment cannot begin: .*provider account/);
      } finally {
        await setActive('yes');
      }
      // By the country of the cart's address Svc finds the account that is for Germany only.
      const toCountries = (list: string) =>
        ground.svc(['gateways', 'change', '--gateway', gateway, '--countries', list]);
      await toCountries('DE');
      await course.pay(await course.shop.startPayment(course.cart));
      await course.press('order', course.shop.placeOrder(course.cart));
      await toCountries('any');
      return { captured: 0, refunded: 0 };
    },
  },
  {
    name: 'refunds on their way, then settled and failed',
    async run(course) {
      await course.pay(await course.begin(20), slowRefund);
      await course.press('order', course.shop.placeOrder(course.cart));
      await course.capture();
      await course.refund(5);
      await course.refund(6);
      const { refunded } = await course.books();
      if (refunded !== 11) throw new Error(`the order shows ${refunded} refunded`);
      await course.ground.endRefunds(2, (amount) => (amount === 500 ? 'succeed' : 'fail'));
      await course.logs(/a refund of 6 EUR that failed/, 150_000);
      return { captured: 20, refunded: 5, withinMs: 150_000 };
    },
  },
  {
    name: 'account of another merchant',
    async run(course) {
      const { block } = course.ground;
      const listed = await askSvc(block, 'GET /v1/webhook-endpoints');
      const [hook] = (listed.data as { url: string }[]).filter(({ url }) => /svc_main$/.test(url));
      const webhookUrl = hook?.url.replace('svc_main', 'svc_second') ?? '';
      const second = await aSecondMerchant(course.ground, { webhookUrl, takesCards: true });
      await using _ = await shopOf(course).offer('second', { ...second });
      await course.pay(await course.begin(20));
      await course.ordered(150_000);
      await course.capture();
      await course.refund(5);
      // The first merchant knows nothing of it.
      const reference = encodeURIComponent(course.cart);
      const sessions = await askSvc(block, `GET /v1/checkout-sessions?reference[eq]=${reference}`);
      if (sessions.total !== 0) throw new Error('the first merchant has the session');
      return { captured: 20, refunded: 5 };
    },
  },
];
