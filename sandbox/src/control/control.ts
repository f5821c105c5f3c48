// The controls for tests: accounts, clock, faults, money, webhooks, records. JSON without authentication,
// only on loopback. Contract §13.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { rawCardSettings, setCharges, setRawCards } from '../accounts/account-settings.ts';
import { openAccount, openRestrictedKey } from '../accounts/accounts.ts';
import { testCards } from '../cards/test-cards.ts';
import { registerCheckoutControls } from '../checkout-sessions/checkout-session-page.ts';
import type { Core } from '../core/core.ts';
import {
  BadControl,
  optional,
  readBody,
  readChoice,
  readFlag,
  readText,
  readWhole,
} from '../requests/control-body.ts';
import { ApiError } from '../requests/errors.ts';
import { tellClockListeners } from '../state/clock.ts';
import { publishedLimits, type RateLimits } from '../state/rate-limits.ts';
import type { WalletSandbox } from '../wallet/index.ts';
import { registerFactControls } from './control-facts.ts';
import { registerFaults } from './control-faults.ts';
import {
  accountOf,
  registerDisputeControls,
  registerIntentControls,
  registerRefundControls,
} from './control-money.ts';
import { registerWebhookControls } from './control-webhooks.ts';
import { assertOwnPage } from './own-page.ts';

const maxAdvanceSeconds = 10 * 366 * 86_400;

const clockFacts = (core: Core) => ({
  now: new Date(core.clock.nowMs()).toISOString(),
  shiftSeconds: core.clock.shiftMs() / 1000,
});

const advance = async (
  { core, wallet }: { core: Core; wallet: WalletSandbox },
  body: unknown,
  reply: FastifyReply,
) => {
  const { seconds } = readBody(body, ['seconds']);
  if (typeof seconds !== 'number' || !(seconds >= 0 && seconds <= maxAdvanceSeconds)) {
    throw new BadControl(`seconds must be a number from 0 to ${maxAdvanceSeconds}`);
  }
  core.clock.advance(Math.round(seconds * 1000));
  // Listeners first: tasks that are due below send webhooks, whose times the listeners compare with their
  // own clock.
  const refusal = await tellClockListeners(core.clockListeners, core.clock.shiftMs());
  core.schedule.runDue(core.clock.nowMs());
  core.webhooks.pump();
  wallet.pump();
  if (refusal) return reply.code(502).send({ ...clockFacts(core), error: refusal });
  return clockFacts(core);
};

const forgottenTables = ['movements', 'requests', 'remembered', 'schedule', 'deliveries'];

const reset = (core: Core, wallet: WalletSandbox, body: unknown): void => {
  const { all } = readBody(body, ['all']);
  core.store.transaction(() => {
    for (const table of forgottenTables) core.store.run(`delete from ${table}`);
    if (all === true) {
      core.store.run('delete from accounts');
      core.store.run('delete from restricted_keys');
      core.store.run("delete from facts where name like 'charges_disabled %'");
      core.store.run('delete from resources');
    } else core.store.run("delete from resources where kind <> 'webhook_endpoint'");
    wallet.reset(all === true);
    core.store.afterCommit(core.webhooks.forgetEndpoints);
  });
  core.faults.clear();
  core.resources.forgetBefore();
};

type LedgerQuery = { Querystring: { account?: string; intent?: string; since?: string } };

const registerRecords = (app: FastifyInstance, core: Core): void => {
  app.get<LedgerQuery>('/ledger', ({ query }) => {
    core.schedule.runDue(core.clock.nowMs());
    const since = query.since === undefined ? undefined : Number(query.since);
    if (Number.isNaN(since)) throw new BadControl('since must be the seq of an entry');
    return { entries: core.ledger.list({ account: query.account, intent: query.intent, since }) };
  });
  app.get<{ Querystring: { intent?: string; id?: string } }>('/requests', ({ query }) => ({
    requests: core.ledger.listCalls({ intent: query.intent, id: query.id }),
  }));
};

const rightPattern = /^[a-z_]+\.(read|write)$/;

/**
 * Lets a new sandbox begin in the past, so that it has days of history after the clock is moved forward.
 */
const beginClock = (core: Core, body: unknown) => {
  const { secondsAgo } = readBody(body, ['secondsAgo']);
  const seconds = readWhole(secondsAgo, 'secondsAgo', [1, 366 * 86_400]);
  if (core.store.one('select id from accounts limit 1') || core.clock.shiftMs() !== 0) {
    throw new BadControl('only a sandbox without accounts, whose clock was not moved, may begin');
  }
  core.clock.advance(-seconds * 1000);
  return clockFacts(core);
};

/** What people do in the provider's dashboard with an account's keys and verification. */
const registerKeys = (app: FastifyInstance, core: Core): void => {
  app.post('/restricted-keys', ({ body }) => {
    const { account, rights } = readBody(body, ['account', 'rights']);
    const isList = Array.isArray(rights) && rights.every((one) => rightPattern.test(String(one)));
    if (!isList) throw new BadControl('rights must be a list such as ["refunds.write"]');
    const wish = { account: accountOf(core, account), rights: rights.map(String) };
    return openRestrictedKey(core.store, core.ids, wish);
  });
  app.post('/accounts/charges', ({ body }) => {
    const { account, enabled } = readBody(body, ['account', 'enabled']);
    setCharges(core.store, accountOf(core, account), readFlag(enabled, 'enabled'));
    return { enabled };
  });
  app.post('/accounts/raw-cards', ({ body }) => {
    const { account, setting } = readBody(body, ['account', 'setting']);
    const word = readChoice(setting, 'setting', rawCardSettings);
    setRawCards(core.store, accountOf(core, account), word);
    return { setting: word };
  });
};

const most = 1_000_000;

/** The limits on what accounts send: those given and published, or none. */
const registerLimits = (app: FastifyInstance, core: Core): void => {
  app.post('/limits', ({ body }) => {
    const given = readBody(body, [
      ...['account', 'setting', 'perSecond', 'endpointPerSecond', 'updatesPerHour'],
    ]);
    const account = optional(given.account, (value) => accountOf(core, value));
    const setting = readChoice(given.setting ?? 'on', 'setting', ['on', 'off']);
    const numberOf = (name: keyof RateLimits): number =>
      readWhole(given[name] ?? publishedLimits[name], name, [1, most]);
    const limits = {
      perSecond: numberOf('perSecond'),
      endpointPerSecond: numberOf('endpointPerSecond'),
      updatesPerHour: numberOf('updatesPerHour'),
    };
    core.rates.set(setting === 'off' ? null : limits, account);
    return { account: account ?? null, limits: core.rates.limitsOf(account) };
  });
  app.get<{ Querystring: { account?: string } }>('/limits', ({ query }) => ({
    account: query.account ?? null,
    limits: core.rates.limitsOf(query.account),
  }));
};

/** Registers all controls below `/_control`. */
export const registerControls = (app: FastifyInstance, core: Core, wallet: WalletSandbox): void => {
  app.addHook('onRequest', async (request) => assertOwnPage(request));
  app.setErrorHandler((error, _request, reply) => {
    if (error instanceof ApiError) return reply.code(error.status).send({ error: error.body });
    const status = error instanceof BadControl ? 400 : statusOf(error);
    const message = error instanceof Error ? error.message : String(error);
    return reply.code(status).send({ error: message });
  });
  // Many clients send a content type with every call, also with one that has no body.
  const readJson = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else void readJson(request, body.toString(), done);
  });
  app.post('/accounts', ({ body }) => {
    const name = readText(readBody(body, ['name']).name, 'name');
    const account = openAccount(core.store, core.ids, name);
    return { ...account, wallet: wallet.openAccount(account.accountId, name) };
  });
  registerKeys(app, core);
  app.get('/cards', () => ({
    cards: testCards.map(({ number, effect }) => ({ number, effect })),
  }));
  app.get('/clock', () => clockFacts(core));
  app.post('/clock/begin', ({ body }) => beginClock(core, body));
  app.post('/clock/advance', ({ body }, reply) => advance({ core, wallet }, body, reply));
  app.post('/reset', ({ body }) => {
    reset(core, wallet, body);
    return { reset: true };
  });
  registerLimits(app, core);
  registerFaults(app, core, wallet);
  registerIntentControls(app, core);
  registerCheckoutControls(app, core);
  registerRefundControls(app, core);
  registerDisputeControls(app, core);
  registerFactControls(app, core);
  registerWebhookControls(app, core);
  wallet.registerControls(app);
  registerRecords(app, core);
};

const statusOf = (error: unknown): number =>
  error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
    ? error.statusCode
    : 500;
