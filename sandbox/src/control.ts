// The controls of a test: accounts, clock, faults, out-of-band moves, ledger. JSON, no
// authentication, loopback only. Contract §13.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { openAccount } from './accounts.ts';
import { tellClockListeners } from './clock.ts';
import { type Actor, actAlone, type Core } from './core.ts';
import { ApiError, missingResource } from './errors.ts';
import { callFaults, type Match, type PlantedFault, webhookFaults } from './faults.ts';
import { cancelGuarded, captureGuarded } from './intent-guards.ts';
import { expireHold } from './intent-moves.ts';

const maxAdvanceSeconds = 10 * 366 * 86_400;

class BadControl extends Error {}

type Body = Record<string, unknown>;

const bodyOf = (body: unknown): Body =>
  typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Body) : {};

const readText = (value: unknown, name: string): string => {
  if (typeof value === 'string' && value !== '') return value;
  throw new BadControl(`${name} must be a text`);
};

const readWhole = (value: unknown, name: string, limits: [number, number]): number => {
  if (typeof value === 'number' && Number.isInteger(value)) {
    if (value >= limits[0] && value <= limits[1]) return value;
  }
  throw new BadControl(`${name} must be a whole number from ${limits[0]} to ${limits[1]}`);
};

const assertKnown = (body: Body, known: readonly string[]): void => {
  const odd = Object.keys(body).find((name) => !known.includes(name));
  if (odd !== undefined) throw new BadControl(`unknown field ${odd}; known: ${known.join(', ')}`);
};

const readMatch = (value: unknown): Match => {
  const body = bodyOf(value);
  assertKnown(body, ['method', 'path', 'object', 'event']);
  const match: Match = {};
  for (const name of ['method', 'path', 'object', 'event'] as const) {
    if (body[name] !== undefined) match[name] = readText(body[name], `match.${name}`);
  }
  return match;
};

const actions: readonly string[] = [...callFaults, ...webhookFaults];

const readFault = (value: unknown): PlantedFault => {
  const body = bodyOf(value);
  assertKnown(body, ['match', 'action', 'count', 'delayMs', 'executes']);
  const action = readText(body.action, 'action');
  if (!actions.includes(action)) {
    throw new BadControl(`unknown action ${action}; known: ${actions.join(', ')}`);
  }
  return {
    match: readMatch(body.match ?? {}),
    action: action as PlantedFault['action'],
    count: readWhole(body.count ?? 1, 'count', [1, 1_000_000]),
    delayMs: readWhole(body.delayMs ?? 1000, 'delayMs', [0, 600_000]),
    executes: body.executes === true,
  };
};

const personInDashboard = (core: Core, intent: string): Actor => {
  const kept = core.resources.find('payment_intent', intent);
  if (!kept) throw missingResource('payment_intent', intent, 'intent');
  return { ...actAlone(core, kept.account), origin: 'dashboard' };
};

const clockFacts = (core: Core) => ({
  now: new Date(core.clock.nowMs()).toISOString(),
  shiftSeconds: core.clock.shiftMs() / 1000,
});

const advance = async (core: Core, body: Body, reply: FastifyReply) => {
  assertKnown(body, ['seconds']);
  const { seconds } = body;
  if (typeof seconds !== 'number' || !(seconds >= 0 && seconds <= maxAdvanceSeconds)) {
    throw new BadControl(`seconds must be a number from 0 to ${maxAdvanceSeconds}`);
  }
  core.clock.advance(Math.round(seconds * 1000));
  // Listeners first: what falls due below sends webhooks, whose times they compare with their own.
  const refusal = await tellClockListeners(core.clockListeners, core.clock.shiftMs());
  core.schedule.runDue(core.clock.nowMs());
  core.webhooks.pump();
  if (refusal) return reply.code(502).send({ ...clockFacts(core), error: refusal });
  return clockFacts(core);
};

const forgottenTables = ['movements', 'requests', 'remembered', 'schedule', 'deliveries'];

const reset = (core: Core, body: Body): void => {
  assertKnown(body, ['all']);
  core.store.transaction(() => {
    for (const table of forgottenTables) core.store.run(`delete from ${table}`);
    if (body.all === true) {
      core.store.run('delete from accounts');
      core.store.run('delete from resources');
    } else core.store.run("delete from resources where kind <> 'webhook_endpoint'");
    core.store.afterCommit(core.webhooks.forgetEndpoints);
  });
  core.faults.clear();
};

const registerOutOfBand = (app: FastifyInstance, core: Core): void => {
  type Intent = { Params: { intent: string } };
  app.post<Intent>('/holds/:intent/expire', ({ params }) => {
    const actor: Actor = { ...personInDashboard(core, params.intent), origin: 'automatic' };
    const isExpired = core.store.transaction(() => expireHold(actor, params.intent));
    if (!isExpired) throw new BadControl(`${params.intent} is no open hold`);
    return core.resources.find('payment_intent', params.intent)?.object;
  });
  app.post<Intent>('/intents/:intent/capture', ({ params, body }) => {
    const { amount_to_capture: wanted } = bodyOf(body);
    const amount =
      wanted === undefined ? undefined : readWhole(wanted, 'amount_to_capture', [1, 99_999_999]);
    const actor = personInDashboard(core, params.intent);
    return core.store.transaction(() =>
      captureGuarded(actor, params.intent, { amount, values: {} }),
    );
  });
  app.post<Intent>('/intents/:intent/cancel', ({ params }) => {
    const actor = personInDashboard(core, params.intent);
    return core.store.transaction(() =>
      cancelGuarded(actor, params.intent, 'requested_by_customer'),
    );
  });
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

/** Everything below `/_control`. */
export const registerControls = (app: FastifyInstance, core: Core): void => {
  app.setErrorHandler((error, _request, reply) => {
    if (error instanceof ApiError) return reply.code(error.status).send({ error: error.body });
    const status = error instanceof BadControl ? 400 : statusOf(error);
    const message = error instanceof Error ? error.message : String(error);
    return reply.code(status).send({ error: message });
  });
  app.post('/accounts', ({ body }) => {
    assertKnown(bodyOf(body), ['name']);
    const name = readText(bodyOf(body).name, 'name');
    return openAccount(core.store, core.ids, name);
  });
  app.get('/clock', () => clockFacts(core));
  app.post('/clock/advance', ({ body }, reply) => advance(core, bodyOf(body), reply));
  app.post('/faults', ({ body }) => core.faults.add(readFault(body)));
  app.get('/faults', () => ({ faults: core.faults.list() }));
  app.delete('/faults', () => {
    core.faults.clear();
    return { faults: [] };
  });
  app.post('/reset', ({ body }) => {
    reset(core, bodyOf(body));
    return { reset: true };
  });
  registerOutOfBand(app, core);
  registerRecords(app, core);
};

const statusOf = (error: unknown): number =>
  error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
    ? error.statusCode
    : 500;
