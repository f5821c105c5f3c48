// The sandbox's providers, card provider and wallet: `startSandbox` opens their file, connects their parts
// and listens.
import type { AddressInfo } from 'node:net';
import fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import { accountRoutes } from './accounts/account-routes.ts';
import { priceRoutes } from './catalog/prices.ts';
import { productRoutes } from './catalog/products.ts';
import { balanceTransactionRoutes } from './charges/balance-transactions.ts';
import { chargeRoutes } from './charges/charges.ts';
import { registerReceipts } from './charges/receipt-page.ts';
import { failRefund, finishRefund, refundRoutes } from './charges/refunds.ts';
import { expireByTime, settleSession } from './checkout-sessions/checkout-session-moves.ts';
import { registerCheckoutPage } from './checkout-sessions/checkout-session-page.ts';
import { checkoutSessionRoutes } from './checkout-sessions/checkout-sessions.ts';
import { registerControls } from './control/control.ts';
import { assertOwnHost } from './control/own-page.ts';
import { type Actor, automaticActor, type Core, type Mode, type Route } from './core/core.ts';
import type { CardExchange } from './core/exchanges.ts';
import { customerRoutes } from './customers/customers.ts';
import { disputeByCard } from './disputes/open.ts';
import { disputeRoutes } from './disputes/routes.ts';
import {
  answerByProvider,
  closeInquiries,
  decideDispute,
  escalateDispute,
} from './disputes/steps.ts';
import { eventRoutes } from './events/events.ts';
import { webhookEndpointRoutes } from './events/webhook-endpoints.ts';
import { confirmationTokenRoutes } from './intents/confirmation-tokens.ts';
import { expireHold, finishPayment } from './intents/intent-moves.ts';
import { intentRoutes } from './intents/intents.ts';
import { setupIntentRoutes } from './intents/setup-intents.ts';
import { activity } from './pages/activity.ts';
import { frontPage, showPage } from './pages/page.ts';
import { paymentMethodRoutes } from './payment-methods/payment-methods.ts';
import { radarRoutes } from './radar/routes.ts';
import { warnByCard } from './radar/warnings.ts';
import { type ClockListener, createClock } from './state/clock.ts';
import { createFaults } from './state/faults.ts';
import { createMemory } from './state/idempotency.ts';
import { createIdentifiers } from './state/identifiers.ts';
import { createLedger } from './state/ledger.ts';
import { createRateLimiter, publishedLimits, type RateLimits } from './state/rate-limits.ts';
import { createResources } from './state/resources.ts';
import { createSchedule, type DueTask } from './state/schedule.ts';
import { openStore, type Store } from './state/store.ts';
import { registerStripeJs } from './stripe-js/serve.ts';
import { registerThreeDs } from './three-ds.ts';
import { type Exchange, openWallet, type WalletSandbox } from './wallet/index.ts';
import { createWebhooks, type Delivery } from './webhooks/webhooks.ts';
import { createWire } from './wire/wire.ts';

export type { Mode } from './core/core.ts';
export type { ClockListener } from './state/clock.ts';
export type { Exchange } from './wallet/index.ts';

export type SandboxOptions = {
  /** 0, the default, uses a free port. */
  port?: number;
  /** A loopback address; 127.0.0.1 by default. */
  host?: string;
  /** `:memory:`, the default, stores nothing on disk. */
  file?: string;
  mode?: Mode;
  /** The same seed gives the same keys and ids. Without one, the file stores a random seed. */
  seed?: string;
  /** What the clock of a new file, or of memory, reads first, in milliseconds since 1970. Default: this machine's time. */
  startAt?: number;
  clockListeners?: ClockListener[];
  /** Milliseconds added to every API call. */
  latencyMs?: number;
  /** What an account may send; null: as much as it likes. Default: what the provider publishes for a test account. */
  limits?: RateLimits | null;
  /** Takes calls of versions before `basil` too, answered in the pinned version's shapes. Default: refused. */
  takesOlderVersions?: boolean;
  /** Ends when the bank may judge a page's confirmation; its intent is locked until then. Default: 25 ms. */
  judge?: () => Promise<void>;
  /** Receives each delivery of the card provider's events with the status of its answer, 0 without one. */
  onDelivery?: (delivery: Delivery) => void;
  /** Receives each call of the card provider's API that ran, and its response. */
  onCardExchange?: (exchange: CardExchange) => void;
  /** Receives each wallet call and its response, except those that a fault breaks. */
  onWalletExchange?: (exchange: Exchange) => void;
};

export type Sandbox = { url: string; port: number; close: () => Promise<void> };

/** Every call of the card provider's API that is served. */
export const routes: readonly Route[] = [
  ...intentRoutes,
  ...paymentMethodRoutes,
  ...customerRoutes,
  ...chargeRoutes,
  ...balanceTransactionRoutes,
  ...refundRoutes,
  ...disputeRoutes,
  ...radarRoutes,
  ...setupIntentRoutes,
  ...confirmationTokenRoutes,
  ...eventRoutes,
  ...webhookEndpointRoutes,
  ...productRoutes,
  ...priceRoutes,
  ...checkoutSessionRoutes,
  ...accountRoutes,
];

const tickMs = 250;
const forgetEveryMs = 60_000;
const loopbackHosts = /^(127(\.\d{1,3}){3}|::1|localhost)$/;
const maxBodyBytes = 256 * 1024;

const tasks = {
  expire_hold: expireHold,
  expire_checkout: expireByTime,
  finish_payment: (actor: Actor, id: string) => {
    finishPayment(actor, id);
    settleSession(actor, id);
  },
  finish_refund: finishRefund,
  fail_refund: failRefund,
  open_dispute: (actor: Actor, id: string) => {
    disputeByCard(actor, id);
    warnByCard(actor, id);
  },
  answer_dispute: answerByProvider,
  close_inquiries: closeInquiries,
  win_dispute: decideDispute('won'),
  lose_dispute: decideDispute('lost'),
  escalate_dispute: escalateDispute,
} as const;

type CardTask = keyof typeof tasks;
type CoreOptions = { baseUrl: () => string; findWallet: () => WalletSandbox };

const buildCore = (store: Store, options: SandboxOptions, around: CoreOptions): Core => {
  const clock = createClock(store, options.startAt);
  const resources = createResources(store);
  const faults = createFaults();
  const core: Core = {
    store,
    resources,
    clock,
    faults,
    rates: createRateLimiter(options.limits === undefined ? publishedLimits : options.limits),
    memory: createMemory(store, clock),
    clockListeners: options.clockListeners ?? [],
    ids: createIdentifiers(store, options.seed),
    ledger: createLedger(store),
    webhooks: createWebhooks({ store, resources, clock, faults, onDelivery: options.onDelivery }),
    schedule: createSchedule(store, (due: DueTask) => {
      if (around.findWallet().runTask(due)) return;
      tasks[due.task as CardTask](automaticActor(core, due.account), due.object);
    }),
    mode: options.mode ?? 'guarded',
    takesOlderVersions: options.takesOlderVersions ?? false,
    latencyMs: options.latencyMs ?? 0,
    onCardExchange: options.onCardExchange,
    baseUrl: around.baseUrl,
  };
  return core;
};

const registerApi = (app: FastifyInstance, wire: ReturnType<typeof createWire>): void => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  wire.register(app, routes);
  // Otherwise a search would be taken for the read of an object whose id is "search".
  for (const name of ['charges', 'customers', 'payment_intents', 'prices', 'products']) {
    app.get(`/${name}/search`, (_request, reply) => reply.callNotFound());
  }
  // Failures before a call is read (a body that is too large, an invalid header) have the error envelope
  // too.
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const status = error.statusCode ?? 500;
    const type = status < 500 ? 'invalid_request_error' : 'api_error';
    return reply.code(status).send({ error: { type, message: error.message } });
  });
  app.setNotFoundHandler((request, reply) =>
    reply.code(404).send({
      error: {
        type: 'invalid_request_error',
        message: `Unrecognized request URL (${request.method}: ${request.url.split('?')[0]}).`,
      },
    }),
  );
};

const startTicking = (core: Core, wallet: WalletSandbox): (() => void) => {
  const tick = setInterval(() => {
    core.schedule.runDue(core.clock.nowMs());
    core.webhooks.pump();
    wallet.pump();
    core.ledger.flush();
  }, tickMs);
  const forgetting = setInterval(core.memory.forgetOld, forgetEveryMs);
  return () => {
    clearInterval(tick);
    clearInterval(forgetting);
  };
};

type ServedParts = { core: Core; wire: ReturnType<typeof createWire>; wallet: WalletSandbox };

const buildApp = ({ core, wire, wallet }: ServedParts): FastifyInstance => {
  const app = fastify({
    forceCloseConnections: true,
    bodyLimit: maxBodyBytes,
    routerOptions: { maxParamLength: 200 },
  });
  app.register(async (api) => registerApi(api, wire), { prefix: '/v1' });
  app.register(async (api) => wallet.registerApi(api));
  app.register(async (control) => registerControls(control, core, wallet), { prefix: '/_control' });
  app.register(async (pages) => {
    pages.removeAllContentTypeParsers();
    pages.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) =>
      done(null, body),
    );
    registerThreeDs(pages, core);
    registerCheckoutPage(pages, core);
    registerReceipts(pages, core);
    registerStripeJs(pages);
    wallet.registerPages(pages);
  });
  app.get('/', (request, reply) => {
    assertOwnHost(request);
    // No other site may show the page in a frame, where a click would reach a button.
    return showPage(
      reply.header('x-frame-options', 'DENY'),
      200,
      frontPage({ url: core.baseUrl(), mode: core.mode, activity: activity(core) }),
    );
  });
  return app;
};

/** Listens and resolves once it is ready. Rejects for a busy port or a file that cannot be written. */
export const startSandbox = async (options: SandboxOptions = {}): Promise<Sandbox> => {
  const host = options.host ?? '127.0.0.1';
  // The controls need no credentials, so nobody outside this machine may reach them.
  if (!loopbackHosts.test(host)) throw new Error(`${host} is not a loopback address`);
  const store = openStore(options.file ?? ':memory:');
  let port = 0;
  const url = () => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  let core: Core;
  try {
    core = buildCore(store, options, { baseUrl: url, findWallet: () => wallet });
  } catch (error) {
    store.close();
    throw error;
  }
  const wallet = openWallet(core, options.onWalletExchange);
  const wire = createWire(core, options.judge);
  const app = buildApp({ core, wire, wallet });
  try {
    await app.listen({ port: options.port ?? 0, host });
  } catch (error) {
    await app.close();
    store.close();
    throw error;
  }
  port = (app.server.address() as AddressInfo).port;
  const stopTicking = startTicking(core, wallet);
  return {
    url: url(),
    port,
    close: async () => {
      stopTicking();
      wire.close();
      await app.close();
      await core.webhooks.close();
      await wallet.close();
      core.ledger.flush();
      store.close();
    },
  };
};
