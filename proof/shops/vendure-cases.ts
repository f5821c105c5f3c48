// What Vendure alone has, with our plugin: customers with cards, channels, orders that change after they were paid, and
// the sentences of the shop's log.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { slowRefund } from './buyer.ts';
import type { Case, Course } from './cases.ts';
import { askSvc, type Ground, until } from './ground.ts';
import { aSecondMerchant } from './second-merchant.ts';
import type { Vendure } from './vendure.ts';
import { addChannel, addCustomer } from './vendure-seed.ts';

const error = '__typename ... on ErrorResult { errorCode message }';

const shopOf = (course: Course): Vendure => course.shop as Vendure;

function must(holds: boolean, words: string): void {
  if (!holds) throw new Error(words);
}

const ask = ({ block }: Ground, path: string) => askSvc(block, `GET ${path}`);

/** What the buyer's storefront calls, as an answer. */
async function store(course: Course, query: string, variables: object = {}) {
  const { api, token } = shopOf(course).cartOf(course.cart);
  const { said, data } = await shopOf(course).send(api, query, { variables, token });
  return { ...said, data: data as Record<string, Record<string, unknown>> };
}

const cardsOf = async (course: Course) =>
  (await store(course, '{ svcCards { id lastFour } }')).data.svcCards as unknown as {
    id: string;
    lastFour: string;
  }[];

const deleteCard = 'mutation ($id: String!) { deleteSvcCard(id: $id) }';
const payWithCard = (course: Course, id: string) =>
  store(course, 'mutation ($id: String!) { payWithSvcCard(id: $id) { state message } }', { id });

async function isVouched(course: Course, { sessionId }: { sessionId: string }): Promise<boolean> {
  return (await ask(course.ground, `/v1/checkout-sessions/${sessionId}`)).buyerVerified === true;
}

type Svc = { readonly kind: 'svc'; readonly sessionId: string; readonly nonce: string };
const begin = async (course: Course, amount: number, more: object): Promise<Svc> => {
  const wanted = { currency: course.currency, amount, ...more };
  return (await course.begin(amount, await shopOf(course).createCart(wanted))) as Svc;
};

const savedCard: Case = {
  name: 'saved card of a customer, never of a guest',
  async run(course) {
    const shop = shopOf(course);
    const email = `ada-${crypto.randomUUID()}@example.com`;
    const token = await addCustomer(shop, email);
    const first = await begin(course, 20, { token });
    must(await isVouched(course, first), 'the customer is not vouched for');
    await course.pay(first, undefined, true);
    await course.press('order', shop.placeOrder(course.cart));
    const [card] = await cardsOf(course);
    must(card?.lastFour === '4242', 'the card is not listed');
    const id = card?.id ?? '';
    await begin(course, 30, { token });
    const charged = await payWithCard(course, id);
    course.said.push(`charged ${charged.data.payWithSvcCard?.state}`);
    await course.capture();
    const own = course.cart;
    const other = await addCustomer(shop, `eve-${crypto.randomUUID()}@example.com`);
    for (const buyer of [{ email }, { token: other }]) {
      course.cart = await shop.createCart({ currency: 'EUR', amount: 20, ...buyer });
      const payable = (await shop.startPayment(course.cart)) as Svc;
      const isGuest = 'email' in buyer;
      must((await isVouched(course, payable)) !== isGuest, 'a guest is vouched for by the address');
      must((await cardsOf(course)).length === 0, "another one sees the customer's cards");
      must((await payWithCard(course, id)).status === 500, 'another one pays with the card');
      must(
        (await store(course, deleteCard, { id })).status === 500,
        'another one deletes the card',
      );
    }
    course.cart = own;
    must((await store(course, deleteCard, { id })).status === 200, 'the card is not deleted');
    must((await cardsOf(course)).length === 0, 'the deleted card is listed');
    return { captured: 30, refunded: 0 };
  },
};

const channels: Case = {
  name: 'channel with keys of its own, and one without a gateway',
  async run(course) {
    const { ground } = course;
    const shop = shopOf(course);
    const listed = await ask(ground, '/v1/webhook-endpoints');
    const hook = (listed.data as { url: string }[]).find(({ url }) => url.endsWith('/svc/webhook'));
    const keysOf = (token: string, takesCards: boolean) =>
      aSecondMerchant(ground, { webhookUrl: `${hook?.url}/${token}`, takesCards });
    const [second, bare] = [await keysOf('second', true), await keysOf('bare', false)];
    for (const token of ['second', 'bare']) await addChannel(shop, token);
    await shop.restart({ channels: { second, bare } });
    // By the country of the order's address Svc finds the account that is for Germany only.
    const list = await ground.svc(['gateways', 'list']);
    for (const [gateway = ''] of list.matchAll(/^\S{36}(?=.* cardprovider )/gm)) {
      await ground.svc(['gateways', 'change', '--gateway', gateway, '--countries', 'DE']);
    }
    const refused = await begin(course, 20, { channel: 'bare' }).catch((error) => String(error));
    // The buyer reads nothing of Svc; the log does.
    must(
      /log of the shop says why/.test(String(refused)),
      `a channel without a gateway: ${refused}`,
    );
    // The buyer closes the browser: the webhook of the second merchant places the order.
    await course.pay(await begin(course, 20, { channel: 'second' }));
    await course.ordered(30_000);
    // The admin works in the default channel, whose keys are another merchant's.
    await course.capture();
    await course.refund(5);
    const reference = `/v1/checkout-sessions?reference[eq]=${course.cart}`;
    const { total } = await ask(ground, reference);
    must(total === 0, 'the first merchant has the payment');
    await fetch(`${hook?.url}/nobody`, { method: 'POST', body: '{}' });
    await course.logs(/A webhook came to \/svc\/webhook\/nobody/);
    await course.logs(/has no provider account/);
    return { captured: 20, refunded: 5 };
  },
};

async function modify(course: Course, change: object, refund?: object) {
  const { id } = await shopOf(course).order(course.cart);
  const input = { dryRun: false, orderId: id, ...change, ...(refund ? { refund } : {}) };
  return course.press(
    'change',
    shopOf(course).press(
      `mutation ($input: ModifyOrderInput!) { modifyOrder(input: $input) { ${error} } }`,
      { input },
    ),
  );
}

async function move(course: Course, state: string) {
  const { id } = await shopOf(course).order(course.cart);
  const query = `mutation ($id: ID!, $state: String!) { transitionOrderToState(id: $id, state: $state) {
    __typename ... on OrderStateTransitionError { errorCode transitionError } } }`;
  const { status, text } = await shopOf(course).press(query, { id, state });
  must(status === 200, `not moved to ${state}: ${text}`);
}

/** What is added to the order, or taken off. */
const surcharge = (price: number) => ({
  surcharges: [{ description: 'change', price: price * 100, priceIncludesTax: true, taxRate: 0 }],
});

const more = (name: string, isTakenFirst: boolean): Case => ({
  name,
  async run(course) {
    const shop = shopOf(course);
    await course.hold(20);
    if (isTakenFirst) await course.capture();
    await move(course, 'Modifying');
    await modify(course, surcharge(10));
    await move(course, 'ArrangingAdditionalPayment');
    const unpaid = await shop.placeOrder(course.cart);
    must(unpaid.status === 409, 'the order counts as paid before the rest is');
    const link = await shop.asAdmin(
      'mutation ($code: String!) { svcPaymentLink(orderCode: $code) }',
      { code: course.cart },
    );
    const rest = await shop.openSession(course.cart, course.cart);
    must(JSON.stringify(link.data).includes(rest.sessionId), 'the link is another session');
    await course.pay(rest);
    await course.press('order', shop.placeOrder(course.cart));
    for (let left = isTakenFirst ? 1 : 2; left > 0; left -= 1) await course.capture();
    const { state } = await shop.order(course.cart);
    must(state === 'PaymentSettled', `the order is ${state}`);
    // A change that is not linked to its payment forbids the next one.
    await move(course, 'Modifying');
    await move(course, 'PaymentSettled');
    return { captured: 30, refunded: 0 };
  },
});

const less: Case = {
  name: 'order made cheaper, held and taken',
  async run(course) {
    await course.hold(20);
    const [payment] = (await shopOf(course).order(course.cart)).payments;
    const refund = { paymentId: payment?.id ?? '', amount: 500, reason: 'kit' };
    await move(course, 'Modifying');
    const early = await modify(course, surcharge(-5), refund);
    must(/is held, not taken/.test(early.text), `a hold made smaller: ${early.text}`);
    await move(course, 'PaymentAuthorized');
    await course.capture();
    await move(course, 'Modifying');
    await modify(course, surcharge(-5), refund);
    await move(course, 'PaymentSettled');
    const { total } = await course.books();
    must(total === 15, `the order comes to ${total}`);
    return { captured: 20, refunded: 5 };
  },
};

async function cancel(course: Course, lines?: object[]) {
  const { id } = await shopOf(course).order(course.cart);
  const input = { orderId: id, reason: 'kit', cancelShipping: true, ...(lines ? { lines } : {}) };
  const query = `mutation ($input: CancelOrderInput!) { cancelOrder(input: $input) { ${error} } }`;
  return course.press('cancel', shopOf(course).press(query, { input }));
}

const partTaken: Case = {
  name: 'part of a held order cancelled',
  async run(course) {
    const shop = shopOf(course);
    const cart = await shop.createCart({ currency: 'EUR', amount: 10 });
    await shop.addToCart(cart, 10);
    await course.pay(await course.begin(20, cart));
    await course.press('order', shop.placeOrder(cart));
    const [line] = (await shop.order(cart)).lines;
    await cancel(course, [{ orderLineId: line?.id ?? '', quantity: 1 }]);
    await course.capture();
    await course.refund(10);
    await course.logs(/20 EUR of order .* was taken/);
    return { captured: 20, refunded: 10 };
  },
};

const cancelled: Case = {
  name: 'held order cancelled',
  async run(course) {
    await course.hold(20);
    await cancel(course);
    return { captured: 0, refunded: 0, released: 20 };
  },
};

const cancelledUnpaid: Case = {
  name: 'order cancelled before it is paid',
  async run(course) {
    const payable = (await course.begin(20)) as Svc;
    await cancel(course);
    const at = `/v1/checkout-sessions/${payable.sessionId}`;
    const isEnded = ({ status }: { status?: unknown }) => status === 'expired';
    await until(() => ask(course.ground, at), isEnded, 10_000);
    must((await course.pay(payable)) !== 'paid', 'a cancelled order was paid');
    return { captured: 0, refunded: 0, hasOrder: false };
  },
};

const releasedElsewhere: Case = {
  name: "payment cancelled in the admin, hold released in Svc's dashboard",
  async run(course) {
    const shop = shopOf(course);
    await course.hold(20);
    const [payment] = (await shop.order(course.cart)).payments;
    const query = `mutation ($id: ID!) { cancelPayment(id: $id) { ${error} } }`;
    await course.press('cancel', shop.press(query, { id: payment?.id ?? '' }));
    must((await course.ledger()).released === 20, 'the hold is not released');
    const payable = (await course.begin(20)) as Svc;
    await course.pay(payable);
    await course.press('order', shop.placeOrder(course.cart));
    const { paymentId } = await ask(course.ground, `/v1/checkout-sessions/${payable.sessionId}`);
    await askSvc(course.ground.block, `PUT /v1/payments/${paymentId}/cancel`, {});
    const isOver = ({ state }: { state: string }) => state.includes('Cancelled');
    const { state } = await until(() => course.books(), isOver, 30_000);
    must(isOver({ state }), `the books say ${state}`);
    return { captured: 0, refunded: 0, released: 20 };
  },
};

const pendingRefunds: Case = {
  name: 'refunds that are pending, then settle and fail',
  async run(course) {
    await course.pay(await course.begin(20), slowRefund);
    await course.press('order', shopOf(course).placeOrder(course.cart));
    await course.capture();
    for (const amount of [5, 6]) {
      const { status, text } = await course.refund(amount);
      must(status === 200, `a pending refund is an error: ${text}`);
    }
    const { state } = await course.books();
    must(/Pending, Pending/.test(state), `the books say ${state}`);
    await course.ground.endRefunds(2, (amount) => (amount === 500 ? 'succeed' : 'fail'));
    await course.logs(/The refund failed.*has not been paid\./, 150_000);
    return { captured: 20, refunded: 5, withinMs: 150_000 };
  },
};

const otherAmount: Case = {
  name: 'amounts that differ',
  async run(course) {
    const payable = await course.begin(20);
    course.ground.hooks.isLosing = true;
    await course.pay(payable);
    await course.shop.addToCart(course.cart, 10);
    course.ground.hooks.isLosing = false;
    await course.press('order', course.shop.placeOrder(course.cart));
    await course.logs(/20 EUR for order .* was given back/);
    return { captured: 0, refunded: 0, released: 20, hasOrder: false };
  },
};

const wrongSecret: Case = {
  name: 'wrong webhook secret',
  async run(course) {
    const { ground } = course;
    const listed = await ask(ground, '/v1/webhook-endpoints');
    const [hook] = listed.data as { url: string }[];
    // A second endpoint at the same address signs with a secret that the shop does not have.
    await askSvc(ground.block, 'POST /v1/webhook-endpoints', { url: hook?.url });
    await course.pay(await course.begin(20));
    await course.press('order', course.shop.placeOrder(course.cart));
    await course.logs(/A webhook was refused/, 30_000);
    return { captured: 0, refunded: 0 };
  },
};

/** A service from before references and events could be asked for. */
async function openOldService(): Promise<{ url: string } & Disposable> {
  const answer = { type: 'not_found', code: 'route_not_found', message: 'There is no such call.' };
  const server = createServer((_request, response) => {
    response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => server.close() };
}

const oldService: Case = {
  name: 'older service without a call',
  async run(course) {
    using old = await openOldService();
    await shopOf(course).restart({ baseUrl: old.url });
    const refused = await course.begin(20).catch((error) => String(error));
    await shopOf(course).restart({});
    must(/the log of the shop says why/.test(String(refused)), `an old service: ${refused}`);
    await course.logs(/There is no such call\. .*this Svc is older than the plugin/);
    return { captured: 0, refunded: 0, hasOrder: false };
  },
};

const ranOut: Case = {
  // Last: it moves the provider's clock, and what others hold runs out too.
  name: 'hold that ran out, paid again',
  async run(course) {
    await course.hold(20);
    await course.ground.advance(8 * 86_400);
    const isOver = ({ state }: { state: string }) => state.includes('Cancelled');
    await until(() => course.books(), isOver, 150_000);
    await course.capture();
    await move(course, 'ArrangingAdditionalPayment');
    await course.pay(await shopOf(course).openSession(course.cart, course.cart));
    await course.press('order', course.shop.placeOrder(course.cart));
    await course.capture();
    await course.logs(/Nothing is held for order/);
    return { captured: 20, refunded: 0 };
  },
};

export const vendureCases: readonly Case[] = [
  savedCard,
  ...[more('order made dearer after it was taken', true), more('order made dearer, held', false)],
  ...[less, partTaken, cancelled, cancelledUnpaid, releasedElsewhere, pendingRefunds],
  ...[otherAmount, wrongSecret, channels, oldService, ranOut],
];
