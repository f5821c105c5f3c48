// Vendure, with @svc/vendure or with its own plugin for the card provider. One channel sells in all currencies;
// Vendure counts hundredths of each, yen and dinar too.

import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { buildVendurePlugin } from '../../integrations/vendure/build.ts';
import type { Books, Payable, Place, Said, Shop, ShopAdapter } from './shop.ts';
import { prepareVendure, seedVendure } from './vendure-place.ts';

type Data = Record<string, unknown>;
type Answer = { data?: Data; errors?: unknown[] };

export class Vendure implements Shop {
  readonly #place: Place;
  readonly #carts = new Map<string, { token: string; api: string; currency: string }>();
  /** Ids of the channels beside the first, by their tokens. */
  readonly channels = new Map<string, string>();
  #settings: object = {};
  #process: ChildProcess | undefined;
  #log = '';
  #admin = '';
  shipping = '';
  #category = '';

  constructor(place: Place) {
    this.#place = place;
  }

  async start(): Promise<void> {
    const { folder, provider, plugin, port, databaseUrl, svc, webhookSecret } = this.#place;
    const given = { plugin, port, databaseUrl, svc: { ...svc, ...this.#settings }, webhookSecret };
    const PLACE = JSON.stringify(given);
    const before = plugin === 'built-in' ? ['--require', './redirect.cjs'] : [];
    const child = spawn(process.execPath, [...before, 'server.mjs'], {
      cwd: folder,
      env: {
        ...{ PATH: process.env.PATH, PLACE, PROVIDER: provider.baseUrl },
        VENDURE_DISABLE_TELEMETRY: 'true',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#process = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (bytes) => {
        this.#log += String(bytes);
      });
    }
    for (let waited = 0; ; waited += 0.25) {
      if (child.exitCode !== null || waited > 240) throw new Error(`no Vendure: ${this.#log}`);
      const isUp = await fetch(`http://127.0.0.1:${port}/health`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isUp) break;
      await pause(250);
    }
    this.#admin = await this.#signIn();
  }

  /** Starts the shop again, with more settings of our plugin. */
  async restart(settings: object): Promise<void> {
    await this.close();
    this.#settings = settings;
    await this.start();
  }

  async #signIn(): Promise<string> {
    const query =
      'mutation { login(username: "superadmin", password: "superadmin") { __typename } }';
    const { token } = await this.send('admin-api', query);
    return token ?? '';
  }

  async send(
    api: string,
    query: string,
    { variables = {}, token }: { variables?: object; token?: string | undefined } = {},
  ): Promise<{ said: Said; data: Data; token: string | undefined }> {
    const headers = {
      'content-type': 'application/json',
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    };
    const body = JSON.stringify({ query, variables });
    const url = `http://127.0.0.1:${this.#place.port}/${api}`;
    const answer = await fetch(url, { method: 'POST', headers, body });
    const text = await answer.text();
    const { data, errors } = JSON.parse(text) as Answer;
    const status = errors ? 500 : answer.status;
    const given = answer.headers.get('vendure-auth-token') ?? token;
    return { said: { status, text }, data: data ?? {}, token: given };
  }

  /** A call that must succeed: the setting up, and what the buyer does before paying. */
  async call(
    api: string,
    query: string,
    more?: { variables?: object; token?: string | undefined },
  ) {
    const { said, data, token } = await this.send(api, query, more);
    const isRefused = said.status !== 200 || said.text.includes('"errorCode"');
    if (isRefused) throw new Error(`${query.slice(0, 90)}: ${said.text.slice(0, 400)}`);
    const [first] = Object.values(data) as { id: string }[];
    return { id: first?.id ?? '', data, token };
  }

  asAdmin(query: string, variables?: object) {
    return this.call('admin-api', query, { variables: variables ?? {}, token: this.#admin });
  }

  async seed(): Promise<void> {
    const asAdmin = (query: string, variables?: object) => this.asAdmin(query, variables);
    const { shipping, category } = await seedVendure(asAdmin, this.#place);
    this.shipping = shipping;
    this.#category = category;
  }

  /** A product of this price, since Vendure has no line without one. */
  async product(currency: string, amount: number, channel = ''): Promise<string> {
    const translations = [
      { languageCode: 'en', name: 'Thing', slug: `thing-${crypto.randomUUID()}`, description: '' },
    ];
    const product = await this.asAdmin(
      'mutation ($input: CreateProductInput!) { createProduct(input: $input) { id } }',
      { input: { enabled: true, translations } },
    );
    const input = {
      productId: product.id,
      sku: crypto.randomUUID(),
      ...{ taxCategoryId: this.#category, trackInventory: 'FALSE' },
      translations: [{ languageCode: 'en', name: 'Thing' }],
    };
    const made = await this.asAdmin(
      'mutation ($input: [CreateProductVariantInput!]!) { createProductVariants(input: $input) { id } }',
      { input: [input] },
    );
    const [variant] = made.data.createProductVariants as [{ id: string }];
    const price = { currencyCode: currency, price: Math.round(amount * 100) };
    await this.asAdmin(
      'mutation ($input: [UpdateProductVariantInput!]!) { updateProductVariants(input: $input) { id } }',
      { input: [{ id: variant.id, prices: [price] }] },
    );
    const channelId = this.channels.get(channel);
    if (channelId) {
      await this.asAdmin(
        'mutation ($input: AssignProductsToChannelInput!) { assignProductsToChannel(input: $input) { id } }',
        { input: { productIds: [product.id], channelId } },
      );
    }
    return variant.id;
  }

  /** `token` of a signed-in customer, `email` that a guest gives, `channel` where it is not the first. */
  async createCart(wanted: {
    readonly currency: string;
    readonly amount: number;
    readonly token?: string;
    readonly email?: string;
    readonly channel?: string;
  }): Promise<string> {
    const { currency, amount, channel } = wanted;
    const hundredths = Number(`${amount}e2`);
    if (!Number.isInteger(hundredths)) throw new Error(`Vendure has no price of ${amount}`);
    const variant = await this.product(currency, amount, channel);
    const api = `shop-api?currencyCode=${currency}${channel ? `&vendure-token=${channel}` : ''}`;
    const added = await this.call(api, addItem, { variables: { variant }, token: wanted.token });
    const { token } = added;
    const { code } = added.data.addItemToOrder as { code: string };
    const { email = `guest-${code.toLowerCase()}@example.com` } = wanted;
    if (!wanted.token) await this.call(api, setCustomer, { variables: { email }, token });
    await this.call(
      api,
      'mutation { setOrderShippingAddress(input: { streetLine1: "1", countryCode: "DE" }) { __typename } }',
      { token },
    );
    await this.call(
      api,
      'mutation ($id: [ID!]!) { setOrderShippingMethod(shippingMethodId: $id) { __typename ... on ErrorResult { errorCode } } }',
      { variables: { id: [this.shipping] }, token },
    );
    this.#carts.set(code, { token: token ?? '', api, currency });
    return code;
  }

  cartOf(cart: string) {
    return this.#carts.get(cart) ?? { token: '', currency: '', api: 'shop-api' };
  }

  async moveTo(cart: string, state: string): Promise<void> {
    const { api, token } = this.cartOf(cart);
    const { data } = await this.call(api, '{ activeOrder { state } }', { token });
    if ((data.activeOrder as { state: string } | null)?.state === state) return;
    await this.call(
      api,
      'mutation ($state: String!) { transitionOrderToState(state: $state) { __typename ... on OrderStateTransitionError { errorCode transitionError } } }',
      { variables: { state }, token },
    );
  }

  async addToCart(cart: string, amount: number): Promise<void> {
    const { api, token, currency } = this.cartOf(cart);
    await this.moveTo(cart, 'AddingItems');
    const variant = await this.product(currency, amount);
    await this.call(api, addItem, { variables: { variant }, token });
  }

  async startPayment(cart: string): Promise<Payable> {
    const { api, token } = this.cartOf(cart);
    await this.moveTo(cart, 'ArrangingPayment');
    if (this.#place.plugin === 'built-in') {
      const { data } = await this.call(api, 'mutation { createStripePaymentIntent }', { token });
      return { kind: 'built-in', clientSecret: String(data.createStripePaymentIntent) };
    }
    return this.openSession(cart);
  }

  /** Of the active order, or by its code of one that was placed. */
  async openSession(cart: string, orderCode?: string): Promise<Payable & { kind: 'svc' }> {
    const { api, token } = this.cartOf(cart);
    const { data } = await this.call(
      api,
      'mutation ($orderCode: String) { createSvcSession(orderCode: $orderCode) { state message sessionId nonce } }',
      { variables: orderCode ? { orderCode } : {}, token },
    );
    const { sessionId, nonce } = data.createSvcSession as { sessionId: string; nonce: string };
    if (!sessionId) throw new Error(`no session: ${JSON.stringify(data)}`);
    return { kind: 'svc', sessionId, nonce };
  }

  /** The built-in plugin has no confirmation: its storefront waits for the webhook to place the order. */
  async placeOrder(cart: string): Promise<Said> {
    const { api, token } = this.cartOf(cart);
    const isOurs = this.#place.plugin === 'svc';
    const query = isOurs ? confirm : look;
    for (let waited = 0; ; waited += 0.5) {
      const said = await answered(async () => {
        const { said } = await this.send(api, query, { variables: { cart }, token });
        const isPlaced = /"state":"(paid|Payment(Authorized|Settled))"/.test(said.text);
        return isPlaced ? said : { ...said, status: 409 };
      });
      if (isOurs || said.status === 200 || waited >= 10) return said;
      await pause(500);
    }
  }

  async order(cart: string): Promise<AdminOrder> {
    const query = `query ($cart: String!) { orders(options: { filter: { code: { eq: $cart } } }) { items {
      id state totalWithTax orderPlacedAt lines { id } payments { id state amount refunds { state total } } } } }`;
    const { data } = await this.asAdmin(query, { cart });
    const { items } = data.orders as { items: AdminOrder[] };
    const [order] = items;
    return order ?? { ...nothing, id: cart };
  }

  capture = async (cart: string): Promise<Said> => (await this.openCapture(cart))();

  async openCapture(cart: string): Promise<() => Promise<Said>> {
    const { payments } = await this.order(cart);
    const taken = payments.find(({ state }) => state === 'Authorized') ?? payments.find(isSettled);
    const query =
      'mutation ($id: ID!) { settlePayment(id: $id) { __typename ... on Payment { state } ... on ErrorResult { errorCode message } ... on SettlePaymentError { paymentErrorMessage } } }';
    return () => this.press(query, { id: taken?.id ?? '0' });
  }

  async refund(cart: string, amount: number): Promise<Said> {
    const { payments } = await this.order(cart);
    const paymentId = payments.find(isSettled)?.id ?? '0';
    const input = {
      paymentId,
      amount: Math.round(amount * 100),
      lines: [],
      shipping: 0,
      adjustment: 0,
      reason: 'kit',
    };
    return this.press(
      'mutation ($input: RefundOrderInput!) { refundOrder(input: $input) { __typename ... on Refund { state metadata } ... on ErrorResult { errorCode message } } }',
      { input },
    );
  }

  press(query: string, variables: object): Promise<Said> {
    return answered(async () => {
      const { said } = await this.send('admin-api', query, { variables, token: this.#admin });
      return said.status === 200 && said.text.includes('"errorCode"')
        ? { ...said, status: 409 }
        : said;
    });
  }

  async books(cart: string): Promise<Books> {
    const { id, state, totalWithTax, orderPlacedAt, payments } = await this.order(cart);
    const sum = (values: number[]) => values.reduce((before, value) => before + value, 0) / 100;
    const refunds = payments.flatMap((payment) => payment.refunds);
    const states = [...payments, ...refunds].map((each) => each.state).join(', ');
    return {
      orderId: orderPlacedAt ? id : null,
      total: totalWithTax / 100,
      captured: sum(payments.filter(isSettled).map(({ amount }) => amount)),
      refunded: sum(refunds.filter(isSettled).map(({ total }) => total)),
      state: `${state}${states ? `: ${states}` : ''}`,
    };
  }

  log = () => this.#log;

  kill = () => this.#end('SIGKILL');
  close = () => this.#end('SIGTERM');

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }
}

type AdminOrder = {
  id: string;
  state: string;
  totalWithTax: number;
  orderPlacedAt: string | null;
  lines: { id: string }[];
  payments: {
    id: string;
    state: string;
    amount: number;
    refunds: { state: string; total: number }[];
  }[];
};

const nothing: AdminOrder = {
  ...{ id: '', state: 'no order', totalWithTax: 0, orderPlacedAt: null, lines: [], payments: [] },
};

const isSettled = ({ state }: { state: string }): boolean => state === 'Settled';

const addItem = `mutation ($variant: ID!) { addItemToOrder(productVariantId: $variant, quantity: 1) {
  __typename ... on Order { id code } ... on ErrorResult { errorCode message } } }`;
const setCustomer = `mutation ($email: String!) { setCustomerForOrder(input: {
  firstName: "A", lastName: "B", emailAddress: $email }) { __typename ... on ErrorResult { errorCode message } } }`;

const confirm = `mutation ($cart: String!) { confirmSvcPayment(orderCode: $cart) { state message } }`;
const look = `query ($cart: String!) { orderByCode(code: $cart) { state } }`;

const answered = (press: () => Promise<Said>): Promise<Said> =>
  press().catch((error: unknown) => ({ status: 0, text: String(error) }));

export const vendure: ShopAdapter = {
  name: 'vendure',
  packages: {
    '@vendure/core': '3.7.3',
    '@vendure/payments-plugin': '3.5.6',
    pg: '8.23.1',
    stripe: '13.11.0',
  },
  buildPlugin: buildVendurePlugin,
  webhookPath: (plugin) => (plugin === 'svc' ? '/svc/webhook' : '/payments/stripe'),
  async open(place) {
    prepareVendure(place);
    const shop = new Vendure(place);
    await shop.start();
    await shop.seed();
    return shop;
  },
};
