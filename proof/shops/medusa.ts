// Medusa 2 from npm, driven by its store and admin API as storefront and admin drive it.

import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { exponentOf } from '@svc/contract/values/currencies';
import { buildMedusaPlugin } from '../../integrations/medusa/build.ts';
import {
  checkTypes,
  command,
  envOf,
  type Providers,
  packages,
  providerIds,
  runMedusa,
  writeConfig,
} from './medusa-place.ts';
import {
  type Books,
  currencies,
  type Payable,
  type Place,
  type Said,
  type Shop,
  type ShopAdapter,
} from './shop.ts';

const person = { email: 'admin@shop.example', password: 'supersecret' };
const countries = { EUR: 'de', JPY: 'jp', KWD: 'kw' } as const;

type Body = Record<string, unknown>;

export const medusa: ShopAdapter = {
  name: 'medusa',
  packages,
  buildPlugin: buildMedusaPlugin,
  webhookPath: (plugin) => `/hooks/payment/${providerIds[plugin].slice(3)}`,
  async open(place) {
    if (place.plugin === 'svc') await checkTypes(place.folder);
    writeConfig(place, {});
    await runMedusa(place, ['db:migrate', '--skip-scripts', '--execute-all-links']);
    await runMedusa(place, ['user', '-e', person.email, '-p', person.password]);
    const shop = new Medusa(place);
    await shop.start();
    await shop.prepare();
    return shop;
  },
};

type Cart = { readonly email: string; readonly currency: keyof typeof countries };
export type Customer = { readonly email: string; readonly token: string };

export class Medusa implements Shop {
  readonly #place: Place;
  /** The plugin's providers beside the one that every case has. */
  readonly #more: Providers = {};
  readonly #regions = new Map<string, string>();
  readonly #carts = new Map<string, Cart>();
  #child: ChildProcess | undefined;
  #token = '';
  #key = '';
  #channel = '';
  /** By which payments begin. */
  provider: string;
  /** Who buys: a guest where it is undefined. */
  customer: Customer | undefined;

  constructor(place: Place) {
    this.#place = place;
    this.provider = providerIds[place.plugin];
  }

  get #log(): string {
    return join(this.#place.folder, 'shop.log');
  }

  async ask(method: string, path: string, body?: Body): Promise<Said & { body: Body }> {
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (path.startsWith('/store')) {
      headers['x-publishable-api-key'] = this.#key;
      if (this.customer) headers.authorization = `Bearer ${this.customer.token}`;
    } else if (this.#token) headers.authorization = `Bearer ${this.#token}`;
    const url = `http://127.0.0.1:${this.#place.port}${path}`;
    try {
      const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
      const answer = await fetch(url, init);
      const text = await answer.text();
      const isJson = answer.headers.get('content-type')?.includes('json') ?? false;
      return { status: answer.status, text, body: isJson ? (JSON.parse(text) as Body) : {} };
    } catch (error) {
      return { status: 0, text: String((error as Error).cause ?? error), body: {} };
    }
  }

  /** The named part of an answer that must be a success. */
  async get<T>(name: string, method: string, path: string, body?: Body): Promise<T> {
    const answer = await this.ask(method, path, body);
    if (answer.status !== 200)
      throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body[name] as T;
  }

  /**
   * Lists the provider once more in medusa-config, under an id of its own, and starts the shop with it. Payments begin
   * by it until it is disposed of.
   */
  async offer(id: string, options: Body): Promise<AsyncDisposable> {
    this.#more[id] = options;
    writeConfig(this.#place, this.#more);
    await this.close();
    await this.start();
    const before = this.provider;
    this.provider = `pp_svc_${id}`;
    for (const region of this.#regions.values()) {
      const payment_providers = [before, ...Object.keys(this.#more).map((one) => `pp_svc_${one}`)];
      await this.get('region', 'POST', `/admin/regions/${region}`, { payment_providers });
    }
    return {
      [Symbol.asyncDispose]: async () => {
        this.provider = before;
      },
    };
  }

  /** Runs code of the shop's own developer, `async ({ payment, query }) => …`, in a process beside it. */
  async exec(code: string): Promise<void> {
    const file = join(this.#place.folder, 'own-code.js');
    const resolve = ['payment', 'query'].map((name) => `${name}: container.resolve('${name}')`);
    writeFileSync(
      file,
      `exports.default = ({ container }) => (${code})({ ${resolve.join(', ')} });\n`,
    );
    await runMedusa(this.#place, ['exec', file]);
  }

  async start(): Promise<void> {
    const { folder, port } = this.#place;
    const args = [command(folder), 'start', '-H', '127.0.0.1', '-p', String(port)];
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env: envOf(this.#place),
      stdio: 'pipe',
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => appendFileSync(this.#log, chunk));
    }
    for (let waited = 0; (await this.ask('GET', '/health')).status !== 200; waited += 1) {
      if (child.exitCode !== null || waited > 240)
        throw new Error(`Medusa did not start: ${this.log()}`);
      await pause(500);
    }
  }

  async prepare(): Promise<void> {
    this.#token = await this.get('token', 'POST', '/auth/user/emailpass', person);
    const [store] = await this.get<{ id: string }[]>('stores', 'GET', '/admin/stores');
    const supported_currencies = currencies.map((code, index) => ({
      currency_code: code.toLowerCase(),
      is_default: index === 0,
    }));
    await this.get('store', 'POST', `/admin/stores/${store?.id}`, { supported_currencies });
    for (const code of currencies) {
      const region = await this.get<{ id: string }>('region', 'POST', '/admin/regions', {
        ...{ name: code, currency_code: code.toLowerCase(), countries: [countries[code]] },
        payment_providers: [providerIds[this.#place.plugin]],
      });
      this.#regions.set(code, region.id);
    }
    const channel = await this.get<{ id: string }>(
      'sales_channel',
      'POST',
      '/admin/sales-channels',
      { name: 'web' },
    );
    this.#channel = channel.id;
    const key = { title: 'storefront', type: 'publishable' };
    const made = await this.get<{ id: string; token: string }>(
      'api_key',
      'POST',
      '/admin/api-keys',
      key,
    );
    await this.get('api_key', 'POST', `/admin/api-keys/${made.id}/sales-channels`, {
      add: [channel.id],
    });
    this.#key = made.token;
  }

  async #makeVariant(currency: string, amount: number): Promise<string> {
    const product = await this.get<{ variants: { id: string }[] }>(
      'product',
      'POST',
      '/admin/products',
      {
        ...{
          title: `Cup ${Math.random()}`,
          status: 'published',
          sales_channels: [{ id: this.#channel }],
        },
        options: [{ title: 'Kind', values: ['A'] }],
        variants: [
          {
            ...{ title: 'A', manage_inventory: false, options: { Kind: 'A' } },
            prices: [{ currency_code: currency.toLowerCase(), amount }],
          },
        ],
      },
    );
    return product.variants[0]?.id ?? '';
  }

  async createCart({
    currency,
    amount,
  }: {
    currency: Cart['currency'];
    amount: number;
  }): Promise<string> {
    const email = this.customer?.email ?? `buyer-${crypto.randomUUID()}@example.com`;
    const { id } = await this.get<{ id: string }>('cart', 'POST', '/store/carts', {
      ...{ region_id: this.#regions.get(currency), email },
      shipping_address: { country_code: countries[currency] },
      items: [{ variant_id: await this.#makeVariant(currency, amount), quantity: 1 }],
    });
    this.#carts.set(id, { email, currency });
    return id;
  }

  async addToCart(cart: string, amount: number): Promise<void> {
    const variant_id = await this.#makeVariant(this.#carts.get(cart)?.currency ?? '', amount);
    await this.get('cart', 'POST', `/store/carts/${cart}/line-items`, { variant_id, quantity: 1 });
  }

  /** `savedCard` pays without the page, when the order is placed. */
  async startPayment(cart: string, savedCard?: string): Promise<Payable> {
    type Session = { data: Record<string, string> };
    const { id } = await this.get<{ id: string }>(
      'payment_collection',
      'POST',
      '/store/payment-collections',
      { cart_id: cart },
    );
    const collection = await this.get<{ payment_sessions: Session[] }>(
      'payment_collection',
      'POST',
      `/store/payment-collections/${id}/payment-sessions`,
      {
        provider_id: this.provider,
        ...(savedCard ? { data: { payment_method_id: savedCard } } : {}),
      },
    );
    const { data = {} } = collection.payment_sessions[0] ?? {};
    if (this.#place.plugin === 'svc') {
      return { kind: 'svc', sessionId: data.svc_session ?? '', nonce: data.svc_nonce ?? '' };
    }
    return { kind: 'built-in', clientSecret: data.client_secret ?? '' };
  }

  async placeOrder(cart: string): Promise<Said> {
    const { status, text, body } = await this.ask('POST', `/store/carts/${cart}/complete`);
    // Medusa answers 200 with the cart and the reason where no order was made.
    return body.type === 'cart'
      ? { status: 402, text: JSON.stringify(body.error) }
      : { status, text };
  }

  async #readOrder(cart: string) {
    const fields =
      'id,status,payment_status,total,*payment_collections,*payment_collections.payments';
    type Collection = {
      captured_amount: number | null;
      refunded_amount: number | null;
      payments?: { id: string }[];
    };
    type Order = {
      id: string;
      status: string;
      payment_status: string;
      total: number;
      payment_collections: Collection[];
    };
    const email = encodeURIComponent(this.#carts.get(cart)?.email ?? '');
    // The newest: a customer's earlier orders have the same address.
    const [order] = await this.get<Order[]>(
      'orders',
      'GET',
      `/admin/orders?q=${email}&order=-created_at&fields=${fields}`,
    );
    return { order, collections: order?.payment_collections ?? [] };
  }

  async books(cart: string): Promise<Books> {
    const { order, collections } = await this.#readOrder(cart);
    // What the order's state is made of; rows of a killed process are not in it.
    const digits = exponentOf(this.#carts.get(cart)?.currency ?? 'EUR');
    const sum = (name: 'captured_amount' | 'refunded_amount') =>
      Number(collections.reduce((total, one) => total + (one[name] ?? 0), 0).toFixed(digits));
    return {
      orderId: order?.id ?? null,
      total: order?.total ?? 0,
      captured: sum('captured_amount'),
      refunded: sum('refunded_amount'),
      state: order ? `${order.status}, ${order.payment_status}` : 'no order',
    };
  }

  /** The id by which the admin names the order's payment. */
  async paymentOf(cart: string): Promise<string> {
    const { collections } = await this.#readOrder(cart);
    return collections.flatMap(({ payments }) => payments ?? [])[0]?.id ?? 'none';
  }

  async openCapture(cart: string): Promise<() => Promise<Said>> {
    const path = `/admin/payments/${await this.paymentOf(cart)}/capture`;
    return () => this.ask('POST', path, {});
  }

  capture = async (cart: string): Promise<Said> => (await this.openCapture(cart))();

  async refund(cart: string, amount: number): Promise<Said> {
    return this.ask('POST', `/admin/payments/${await this.paymentOf(cart)}/refund`, { amount });
  }

  log(): string {
    try {
      return readFileSync(this.#log, 'utf8');
    } catch {
      return '';
    }
  }

  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  close(): Promise<void> {
    return this.#end('SIGTERM');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }
}
