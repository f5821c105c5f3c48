// The shop's HTTP side: routes, headers, limits. Everything is rendered here; no page has a script.

import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { SvcError } from '@svc/server';
import type { Config } from './config.ts';
import { cartPath, frontPage, parseCart } from './front-page.ts';
import { layout, notice, type Page } from './layout.ts';
import { stateOf } from './orders.ts';
import { ordersPage } from './orders-page.ts';
import { favicon } from './pictures.ts';
import { CartError, Shop } from './shop.ts';
import type { Delivery, Store } from './store.ts';
import { thanksPage } from './thanks-page.ts';
import { webhooksPage } from './webhooks-page.ts';

type DemoAnswer = {
  readonly status: number;
  readonly type?: 'html' | 'css' | 'svg' | 'json' | 'text';
  readonly text?: string;
  readonly location?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

type Visit = { readonly request: IncomingMessage; readonly url: URL };

/** A refusal of the shop itself, shown as a page. */
class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const style = ['frame', 'front', 'pages']
  .map((name) => readFileSync(new URL(`styles/${name}.css`, import.meta.url), 'utf8'))
  .join('');
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const mostFormBytes = 16_384;
const mostWebhookBytes = 262_144;
/** Reloads of the thanks page while something is still moving. */
const mostLooks = 15;

const types: Readonly<Record<NonNullable<DemoAnswer['type']>, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json',
  text: 'text/plain; charset=utf-8',
};

/** Told of failures, in words without secrets. */
export type Log = (line: string) => void;

/** The shop as a server that is not listening yet. */
export function createShopServer(config: Config, store: Store, log: Log): Server {
  const routes = new Routes(config, store, new Shop(config, store));
  const policy = policyOf(config);
  const server = createServer((request, response) => {
    answer(routes, request)
      .catch((error: unknown) => failed(error, log))
      .then((given) => write(given, { request, response, policy }))
      .catch(() => request.destroy());
  });
  server.requestTimeout = 30_000;
  return server;
}

async function answer(routes: Routes, request: IncomingMessage): Promise<DemoAnswer> {
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
  const path = request.url ?? '/';
  const url = URL.canParse(`http://shop${path}`) ? new URL(`http://shop${path}`) : undefined;
  if (!url || !path.startsWith('/')) throw new Refused(400, 'This address is not one.');
  const match = routes.table.find(({ pattern }) => pattern.test(url.pathname));
  if (!match) throw new Refused(404, 'There is no such page in this shop.');
  const run = match.methods[method];
  if (!run) {
    const allow = Object.keys(match.methods).join(', ');
    return { ...page(405, 'This page is not asked for like that.'), headers: { allow } };
  }
  routes.assertHost(request);
  // A webhook comes from a server and proves itself by its signature.
  if (method === 'POST' && url.pathname !== '/webhooks') assertSameOrigin(request);
  return run({ request, url });
}

type Run = (visit: Visit) => DemoAnswer | Promise<DemoAnswer>;

class Routes {
  readonly table: readonly { pattern: RegExp; methods: Readonly<Record<string, Run>> }[];
  readonly #config: Config;
  readonly #store: Store;
  readonly #shop: Shop;

  constructor(config: Config, store: Store, shop: Shop) {
    this.#config = config;
    this.#store = store;
    this.#shop = shop;
    const get = (run: Run) => ({ GET: run });
    this.table = [
      { pattern: /^\/$/, methods: get((visit) => this.#front(visit)) },
      { pattern: /^\/buy$/, methods: { POST: (visit) => this.#buy(visit) } },
      { pattern: /^\/cards$/, methods: { POST: (visit) => this.#cards(visit) } },
      { pattern: /^\/thanks$/, methods: get((visit) => this.#thanks(visit)) },
      { pattern: /^\/orders$/, methods: get(() => this.#orders()) },
      {
        pattern: /^\/orders\/[^/]+\/(capture|cancel)$/,
        methods: { POST: (visit) => this.#settle(visit) },
      },
      {
        pattern: /^\/webhooks$/,
        methods: { GET: () => this.#webhooks(), POST: (visit) => this.#receive(visit) },
      },
      { pattern: /^\/webhooks\.json$/, methods: get(() => this.#webhooksJson()) },
      { pattern: /^\/shop\.css$/, methods: get(() => ({ status: 200, type: 'css', text: style })) },
      {
        pattern: /^\/favicon\.svg$/,
        methods: get(() => ({ status: 200, type: 'svg', text: favicon })),
      },
    ];
  }

  async #front({ url }: Visit, problem?: { status: number; text: string }): Promise<DemoAnswer> {
    const cart = parseCart(url.searchParams);
    // From the cart's form, with fields that only the order needs: the short address instead.
    if (url.searchParams.has('order')) return { status: 303, location: `${cartPath(cart)}#cart` };
    const wares = await this.#shop.wares(cart.currency);
    const body = frontPage({
      wares,
      cart,
      orderId: crypto.randomUUID(),
      buyerEmail: this.#config.buyer.email,
      problem: problem?.text,
    });
    return shown(problem?.status ?? 200, { title: 'Shop', path: '/', body });
  }

  async #buy({ request }: Visit): Promise<DemoAnswer> {
    const form = new URLSearchParams((await bytesOf(request, mostFormBytes)).toString('utf8'));
    const cart = parseCart(form);
    const orderId = form.get('order') ?? '';
    const cancelPath = cartPath(cart);
    const wish = {
      ...cart,
      cancelPath,
      orderId: uuid.test(orderId) ? orderId : crypto.randomUUID(),
    };
    try {
      const order = await this.#shop.buy(wish, `http://${request.headers.host}`);
      return { status: 303, location: order.checkoutUrl };
    } catch (error) {
      const back = { request, url: new URL(cancelPath, 'http://shop') };
      if (error instanceof CartError)
        return this.#front(back, { status: 422, text: error.message });
      if (!(error instanceof SvcError)) throw error;
      const text = `The checkout could not be opened (${error.code ?? error.type}): ${error.message} Nothing was charged.`;
      return this.#front(back, { status: 502, text });
    }
  }

  /** To the buyer's own page; a link is made for each visit, since it lasts ten minutes. */
  async #cards({ request }: Visit): Promise<DemoAnswer> {
    try {
      const location = await this.#shop.cardsPage(`http://${request.headers.host}/`);
      return { status: 303, location };
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      const text = `Your cards cannot be shown (${error.code ?? error.type}): ${error.message}`;
      return this.#front({ request, url: new URL('/', 'http://shop') }, { status: 502, text });
    }
  }

  async #thanks({ url }: Visit): Promise<DemoAnswer> {
    const order = this.#orderOf(url.searchParams.get('order') ?? '');
    const isFresh = await this.#shop.refresh(order);
    const state = stateOf(order);
    const looks = Number(url.searchParams.get('look') ?? 0);
    const isFollowing = state.isMoving && looks >= 0 && looks < mostLooks;
    const next = `/thanks?order=${order.id}&look=${looks + 1}`;
    return shown(200, {
      title: 'Your order',
      path: '/thanks',
      body: thanksPage({ order, state, isFresh, isFollowing }),
      refresh: isFollowing ? { seconds: looks < 5 ? 1 : 3, url: next } : undefined,
    });
  }

  async #orders(): Promise<DemoAnswer> {
    const isFresh = await this.#shop.refreshOpen();
    const body = ordersPage(this.#store.listOrders(), isFresh);
    return shown(200, { title: 'Orders', path: '/orders', body });
  }

  async #settle({ url }: Visit): Promise<DemoAnswer> {
    const [, , id = '', operation] = url.pathname.split('/');
    const order = this.#orderOf(id);
    await this.#shop.settle(order, operation === 'capture' ? 'capture' : 'cancel');
    return { status: 303, location: `/orders#o-${order.id}` };
  }

  async #receive({ request }: Visit): Promise<DemoAnswer> {
    const raw = await bytesOf(request, mostWebhookBytes);
    const delivery = await this.#shop.receive(raw, request.headers['svc-signature']);
    if (delivery.isVerified) return json(200, { received: true, duplicate: delivery.isDuplicate });
    return json(400, { code: 'SignatureVerificationFailed', message: delivery.refusal });
  }

  #webhooks(): DemoAnswer {
    const body = webhooksPage(this.#store.listDeliveries());
    return shown(200, { title: 'Webhooks', path: '/webhooks', body });
  }

  #webhooksJson(): DemoAnswer {
    return json(200, { data: this.#store.listDeliveries().map(entryOf) });
  }

  #orderOf(id: string) {
    const order = this.#store.findOrder(id);
    if (!order) throw new Refused(404, 'There is no such order in this shop.');
    return order;
  }

  /** Only the shop's own names: a foreign name that points here is not this shop (DNS rebinding). */
  assertHost(request: IncomingMessage): void {
    const host = request.headers.host ?? '';
    const name = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';
    const isOwn = name === this.#config.host || name === 'localhost' || isOwnAddress(name);
    if (!isOwn) throw new Refused(421, 'This shop does not answer under that name.');
  }
}

const entryOf = (delivery: Delivery) => ({
  receivedAt: delivery.receivedAt,
  verified: delivery.isVerified,
  duplicate: delivery.isDuplicate,
  error: delivery.refusal,
  eventId: delivery.eventId,
  type: delivery.type,
  paymentId: delivery.paymentId,
  effect: delivery.effect,
  raw: delivery.raw,
});

function isOwnAddress(name: string): boolean {
  const address = name.replace(/^\[|\]$/g, '');
  if (isIP(address) === 0) return false;
  const own = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  return address === '127.0.0.1' || own.some((entry) => entry.address === address);
}

/** Forms of other sites are refused. Browsers name the origin in every POST. */
function assertSameOrigin(request: IncomingMessage): void {
  if (request.headers.origin !== `http://${request.headers.host}`) {
    throw new Refused(403, 'This form was not sent from a page of this shop.');
  }
}

async function bytesOf(request: IncomingMessage, most: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > most) throw new Refused(413, 'This is too much at once.');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function failed(error: unknown, log: Log): DemoAnswer {
  if (error instanceof Refused) return page(error.status, error.message);
  // The visitor went away while sending: nobody reads the answer, and nothing is wrong here.
  if ((error as { code?: unknown }).code === 'ECONNRESET') return page(400, 'Cut off.');
  if (error instanceof SvcError) {
    const text = 'The payments service does not answer as it should. Please try again in a moment.';
    log(`payments service: ${error.code} ${error.message} ${error.requestId ?? ''}`);
    return page(502, text, error.code ?? error.type);
  }
  log(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return page(500, 'Something went wrong in the shop.');
}

const shown = (status: number, parts: Page): DemoAnswer => ({
  status,
  type: 'html',
  text: layout(parts),
});

const json = (status: number, body: object): DemoAnswer => ({
  status,
  type: 'json',
  text: JSON.stringify(body),
});

function page(status: number, text: string, code?: string): DemoAnswer {
  const title = status === 404 ? 'Not found' : 'Sorry';
  return shown(status, { title, path: '/thanks', body: notice({ title, text, code }) });
}

/** The redirect to the hosted page counts as part of the form's submission, so it is named. */
function policyOf(config: Config): string {
  const checkout = new URL(config.checkoutUrl).origin;
  return `default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self' ${checkout}; base-uri 'none'; frame-ancestors 'none'`;
}

function write(
  given: DemoAnswer,
  to: { request: IncomingMessage; response: ServerResponse; policy: string },
): void {
  const { request, response } = to;
  response.writeHead(given.status, {
    'content-type': types[given.type ?? 'text'],
    'cache-control': given.type === 'css' || given.type === 'svg' ? 'max-age=60' : 'no-store',
    'content-security-policy': to.policy,
    'cross-origin-opener-policy': 'same-origin',
    // Not `no-referrer`: with it browsers send `Origin: null` from the shop's own forms.
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    ...(given.location ? { location: given.location } : {}),
    ...(request.complete ? {} : { connection: 'close' }),
    ...given.headers,
  });
  response.end(request.method === 'HEAD' ? undefined : given.text);
}
