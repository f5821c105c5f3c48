// The steps of every wallet call: look for a planted fault, authenticate, look up the request id, run in
// one transaction, remember the result, respond.
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Core } from '../core/core.ts';
import type { Fault } from '../state/faults.ts';
import { authenticate, findCaller } from './accounts.ts';
import { errorBody, malformedField, WalletError } from './errors.ts';
import type { KeyedCall } from './idempotency.ts';
import { nextToken } from './identifiers.ts';
import { type Answer, isBroken, reply } from './replies.ts';
import { keyHours, type Wallet, type WalletCall, type WalletRoute } from './wallet.ts';

/** One call and its response, to be compared with the wire's description. */
export type Exchange = {
  method: string;
  path: string;
  query: string;
  requestId: string | null;
  requestBody: string;
  status: number;
  body: string;
};

export type WalletWire = {
  register: (app: FastifyInstance, routes: readonly WalletRoute[]) => void;
  close: () => void;
};

type ParsedRequest = {
  route: WalletRoute;
  request: string;
  method: string;
  path: string;
  id: string;
  account: string | null;
  authorization: string | undefined;
  body: string;
  query: string;
  wantsAll: boolean;
  idempotencyKey: string | null;
  keyed: KeyedCall | undefined;
  fault: Fault | undefined;
};

type FinalAnswer = Answer & { order?: string | undefined };

const maxKey = 108;

const receive = (at: Parts, route: WalletRoute, request: FastifyRequest): ParsedRequest => {
  const { core, wallet } = at;
  const [path = '', query = ''] = request.url.split('?');
  const { authorization } = request.headers;
  const key = request.headers['paypal-request-id'];
  const idempotencyKey = typeof key === 'string' && key !== '' ? key : null;
  const fault = core.faults.takeForCall({
    method: request.method,
    path,
    findAccount: () => findCaller(core, authorization),
    isKeyRemembered: () => {
      const account = findCaller(core, authorization);
      return (
        account !== undefined &&
        idempotencyKey !== null &&
        wallet.memory.knows(account, idempotencyKey)
      );
    },
    isConfirming: () => false,
  });
  return {
    route,
    request: nextToken(core.ids, 13),
    method: request.method,
    path,
    id: (request.params as { id?: string }).id ?? '',
    account: null,
    authorization,
    body: typeof request.body === 'string' ? request.body : '',
    query,
    wantsAll: String(request.headers.prefer).includes('return=representation'),
    idempotencyKey,
    keyed: undefined,
    fault,
  };
};

const errorAnswer = (received: ParsedRequest, error: WalletError): Answer => ({
  status: error.status,
  body: JSON.stringify(errorBody(error, received.request, received.path)),
});

const parseBody = (text: string): unknown => {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new WalletError(400, 'MALFORMED_REQUEST_JSON');
  }
};

/** Before anything runs: determines the caller and the remembered id. */
const identify = (core: Core, received: ParsedRequest): void => {
  received.account = authenticate(core, received.authorization);
  const { route, idempotencyKey, account, path } = received;
  if (idempotencyKey === null) return;
  if (idempotencyKey.length > maxKey) throw malformedField('PayPal-Request-Id');
  if (route.keeps === undefined) return;
  const keepMs = keyHours[route.keeps] * 3_600_000;
  received.keyed = { account, key: idempotencyKey, path, keepMs };
};

const runRoute = ({ core, wallet }: Parts, received: ParsedRequest): FinalAnswer => {
  const { fault, route, account } = received;
  const isStale = fault?.action === 'stale_read';
  if (fault?.action === 'error_500' && !fault.executes) throw serverError();
  const call: WalletCall = {
    core,
    wallet: isStale ? { ...wallet, objects: wallet.objects.asBefore() } : wallet,
    account: account ?? '',
    origin: 'api',
    request: received.request,
    idempotencyKey: received.idempotencyKey,
    isForcedToDecline: fault?.action === 'decline',
    id: received.id,
    body: parseBody(received.body),
    query: new URLSearchParams(received.query),
    wantsAll: received.wantsAll,
  };
  const { status, body, order } = route.run(call);
  if (fault?.action === 'error_500') throw serverError();
  return { status, body: body === undefined ? '' : JSON.stringify(body), order };
};

// As with the shared fault, the response is replayed for its id, with or without the effect.
const serverError = () =>
  new WalletError(500, undefined, { isRemembered: true, keepsWrites: true });

const orderIn = (received: ParsedRequest, answer?: FinalAnswer): string | null => {
  if (answer?.order !== undefined) return answer.order;
  if (received.path.startsWith('/v2/checkout/orders/')) return received.id;
  return /"order_id":"(\w+)"/.exec(answer?.body ?? '')?.[1] ?? null;
};

const record = (core: Core, received: ParsedRequest, answer?: FinalAnswer): void =>
  core.ledger.appendCall({
    id: received.request,
    at: core.clock.nowMs(),
    account: received.account,
    method: received.method,
    path: received.path,
    intent: orderIn(received, answer),
    idempotencyKey: received.idempotencyKey,
    status: answer?.status ?? null,
    fault: received.fault?.action ?? null,
    isReplay: answer?.original !== undefined,
  });

/** The status of a replayed response, as far as that part of the API has one for it. */
const replayedStatus = (route: WalletRoute, status: number): number =>
  status === 201 && route.keeps !== 'payments' ? 200 : status;

const execute = (at: Parts, received: ParsedRequest): Answer => {
  const { core, wallet } = at;
  const { keyed, route, request } = received;
  const settle = (answer: FinalAnswer, isRemembered: boolean): FinalAnswer => {
    if (keyed && isRemembered) wallet.memory.keep(keyed, { ...answer, request });
    record(core, received, answer);
    return answer;
  };
  try {
    return core.store.transaction(() => {
      if (keyed && received.fault?.action === 'forget_key') {
        wallet.memory.forget(keyed.key, keyed.account);
      }
      const known = keyed && wallet.memory.find(keyed);
      if (known) {
        const status = replayedStatus(route, known.status);
        return settle({ ...known, status, original: known.request }, false);
      }
      try {
        return settle(runRoute(at, received), true);
      } catch (error) {
        if (!(error instanceof WalletError && error.facts.keepsWrites)) throw error;
        return settle(errorAnswer(received, error), error.facts.isRemembered ?? false);
      }
    });
  } catch (error) {
    const shown = error instanceof WalletError ? error : new WalletError(500);
    if (shown !== error) process.stderr.write(`${String((error as Error).stack ?? error)}\n`);
    return core.store.transaction(() => settle(errorAnswer(received, shown), false));
  }
};

const inProgressError = () => new WalletError(409, 'PREVIOUS_REQUEST_IN_PROGRESS');

/** Applies a fault that stops the call now. Returns undefined when the call may run. */
const refuseByFault = (
  core: Core,
  received: ParsedRequest,
  out: FastifyReply,
): Answer | 'gone' | undefined => {
  const action = received.fault?.action;
  if (action === 'error_429' || action === 'error_409') {
    out.header('retry-after', '1');
    const error = action === 'error_429' ? new WalletError(429) : inProgressError();
    const answer = errorAnswer(received, error);
    record(core, received, answer);
    return answer;
  }
  if (action === 'error_503_unrecorded') {
    const body = '<html><body><h1>503 Service Unavailable</h1></body></html>';
    record(core, received, { status: 503, body });
    out.raw.once('finish', () => core.ledger.noteAnswered(received.request));
    void out.code(503).type('text/html').send(body);
    return 'gone';
  }
  if (action === 'drop_request' || action === 'half_open' || action === 'late') {
    out.hijack();
    if (action !== 'half_open') out.raw.socket?.destroy();
    if (action !== 'late') record(core, received);
    return 'gone';
  }
  return undefined;
};

type Parts = { core: Core; wallet: Wallet; onExchange: ((exchange: Exchange) => void) | undefined };

const reportExchange = ({ onExchange }: Parts, received: ParsedRequest, answer: Answer): void => {
  if (!onExchange || isBroken(received.fault)) return;
  onExchange({
    method: received.method,
    path: received.path,
    query: received.query,
    requestId: received.idempotencyKey,
    requestBody: received.body,
    status: answer.status,
    body: answer.body,
  });
};

const createRun = (at: Parts) => {
  const { core, wallet } = at;
  // Picked up in the same turn as the commit, so that no other call waits for these deliveries.
  const runAndTell = async (received: ParsedRequest): Promise<Answer> => {
    const answer = execute(at, received);
    const early = wallet.notices.deliverEarly();
    if (early) await early;
    return answer;
  };
  const inFlight = new Set<string>();
  return async (received: ParsedRequest): Promise<Answer> => {
    const pause = core.latencyMs + (received.fault?.action === 'slow' ? received.fault.delayMs : 0);
    const slot = received.keyed && `${received.keyed.account} ${received.keyed.key}`;
    if (slot && inFlight.has(slot)) {
      const answer = errorAnswer(received, inProgressError());
      record(core, received, answer);
      return answer;
    }
    if (pause === 0) return runAndTell(received);
    if (slot) inFlight.add(slot);
    try {
      await delay(pause);
      if (core.store.isClosed()) return errorAnswer(received, new WalletError(500));
      return await runAndTell(received);
    } finally {
      if (slot) inFlight.delete(slot);
    }
  };
};

export const createWalletWire = (at: Parts): WalletWire => {
  const { core } = at;
  const late = new Set<NodeJS.Timeout>();
  const run = createRun(at);

  const runLater = (received: ParsedRequest): void => {
    const timer = setTimeout(() => {
      late.delete(timer);
      execute(at, received);
    }, received.fault?.delayMs ?? 0);
    late.add(timer);
  };

  const answerCall = async (route: WalletRoute, request: FastifyRequest, out: FastifyReply) => {
    core.schedule.runDue(core.clock.nowMs());
    const received = receive(at, route, request);
    const sendAnswer = (answer: Answer): FastifyReply => {
      reportExchange(at, received, answer);
      const { request: debugId, fault } = received;
      const onSent = () => core.ledger.noteAnswered(debugId);
      return reply(out, answer, { debugId, fault, onSent });
    };
    try {
      identify(core, received);
    } catch (error) {
      if (!(error instanceof WalletError)) throw error;
      const answer = errorAnswer(received, error);
      record(core, received, answer);
      return sendAnswer(answer);
    }
    const refused = refuseByFault(core, received, out);
    if (refused === 'gone') {
      if (received.fault?.action === 'late') runLater(received);
      return out;
    }
    return sendAnswer(refused ?? (await run(received)));
  };

  return {
    register: (app, routes) => {
      for (const route of routes) {
        app.route({
          method: route.method,
          url: route.path,
          handler: (request, out) => answerCall(route, request, out),
        });
      }
    },
    close: () => {
      for (const timer of late) clearTimeout(timer);
      late.clear();
    },
  };
};
