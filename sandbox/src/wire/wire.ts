// The steps of every call: authenticate, look for a planted fault, look up the idempotency key, run in one
// transaction, remember the result, respond. A call that was refused before it ran writes nothing.
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Credential } from '../accounts/accounts.ts';
import type { Call, Core, Route } from '../core/core.ts';
import { ApiError, type ErrorBody, invalidParameter } from '../requests/errors.ts';
import { checkParameters, list, type Rules } from '../requests/parameters.ts';
import { isSinceVersion } from '../requests/versions.ts';
import { rateLimited } from '../state/rate-limits.ts';
import { expandObject } from './expand.ts';
import { type ParsedRequest, readRequest, receive } from './parse-request.ts';
import { type Answer, createReply } from './replies.ts';

export type Wire = {
  register: (app: FastifyInstance, routes: readonly Route[]) => void;
  close: () => void;
};

/** The text of a response: JSON as the provider writes it, indented by two. */
const indentJson = (object: object): string => JSON.stringify(object, null, 2);

/** Returns what the call accepts in its version; throws for a parameter that the version ended. */
const rulesOf = ({ accepts, acceptsUntil }: Route, { version, raw }: ParsedRequest): Rules => {
  if (!acceptsUntil) return accepts;
  const { version: end, also, code } = acceptsUntil;
  if (!isSinceVersion(version, end)) return { ...accepts, ...also };
  const ended = code && Object.keys(also).find((name) => name in raw);
  if (!ended) return accepts;
  throw invalidParameter(code, ended, `${ended} ended with the API version ${end}.`);
};

const errorAnswer = (core: Core, request: string, error: ApiError): Answer => {
  const body: ErrorBody = {
    ...error.body,
    request_log_url: `${core.baseUrl()}/_control/requests?id=${request}`,
  };
  return { status: error.status, body: indentJson({ error: body }) };
};

const serverError = () =>
  new ApiError(
    500,
    {
      type: 'api_error',
      message:
        'An unknown error occurred while processing the request. Please contact support, and ' +
        'include the request id.',
    },
    { isRemembered: true, keepsWrites: true },
  );

const intentIn = (received: ParsedRequest, answer: Answer): string | null => {
  if (received.id.startsWith('pi_')) return received.id;
  return /"(?:id|payment_intent)": ?"(pi_\w+)"/.exec(answer.body)?.[1] ?? null;
};

const record = (core: Core, received: ParsedRequest, answer?: Answer): void => {
  core.ledger.appendCall({
    id: received.request,
    at: core.clock.nowMs(),
    account: received.credential?.account ?? null,
    method: received.method,
    path: received.path,
    intent: answer
      ? intentIn(received, answer)
      : received.id.startsWith('pi_')
        ? received.id
        : null,
    idempotencyKey: received.idempotencyKey,
    status: answer?.status ?? null,
    fault: received.fault?.action ?? null,
    isReplay: answer?.original !== undefined,
  });
};

const runRoute = (at: Core, received: ParsedRequest, credential: Credential): Answer => {
  const { route, fault } = received;
  const core = fault?.action === 'stale_read' ? { ...at, resources: at.resources.asBefore() } : at;
  const values = checkParameters(rulesOf(route, received), received.raw);
  if (fault?.action === 'error_500' && !fault.executes) throw serverError();
  const call: Call = {
    core,
    account: credential.account,
    origin: 'api',
    request: received.request,
    idempotencyKey: received.idempotencyKey,
    isForcedToDecline: fault?.action === 'decline',
    key: credential.key,
    isHostedField: received.isHostedField,
    id: received.id,
    values,
  };
  const object = route.run(call);
  const paths = list(values, 'expand') ?? [];
  if (paths.length > 0) expandObject(core, credential.account, { object, paths });
  if (fault?.action === 'error_500') throw serverError();
  return { status: 200, body: indentJson(object) };
};

const execute = (core: Core, received: ParsedRequest): Answer => {
  const { credential, keyed } = received;
  const settle = (answer: Answer, isRemembered: boolean): Answer => {
    if (keyed && isRemembered) core.memory.keep(keyed, { ...answer, request: received.request });
    record(core, received, answer);
    return answer;
  };
  try {
    return core.store.transaction(() => {
      if (!credential) throw new Error('a call without its account');
      if (keyed && received.fault?.action === 'forget_key') {
        core.memory.forget(keyed.key, keyed.account);
      }
      const known = keyed && core.memory.find(keyed);
      if (known) return settle({ ...known, original: known.request }, false);
      try {
        return settle(runRoute(core, received, credential), true);
      } catch (error) {
        if (!(error instanceof ApiError && error.keepsWrites)) throw error;
        return settle(errorAnswer(core, received.request, error), error.isRemembered);
      }
    });
  } catch (error) {
    const shown = error instanceof ApiError ? error : serverError();
    if (shown !== error) process.stderr.write(`${describeBug(error)}\n`);
    const answer = errorAnswer(core, received.request, shown);
    return core.store.transaction(() => settle(answer, shown.isRemembered));
  }
};

const describeBug = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

/** The real provider runs only one request at a time that changes an object. */
const lockTimeout = () =>
  new ApiError(429, {
    type: 'invalid_request_error',
    code: 'lock_timeout',
    message:
      'This object cannot be accessed right now because another API request or Stripe process is ' +
      'currently accessing it. If you see this error intermittently, retry the request. If you see ' +
      'this error frequently and are making multiple concurrent requests to a single object, make ' +
      'your requests serially or at a lower rate.',
  });

/** The least time in milliseconds that a bank takes to check a card that a page confirms. */
const judgingMs = 25;

const keyInUse = (key: string | null) =>
  new ApiError(409, {
    type: 'idempotency_error',
    code: 'idempotency_key_in_use',
    message:
      'There is currently another in-progress request using this Idempotent Key (that probably ' +
      `means you submitted twice, and the other request is still going through): ${key ?? ''}. ` +
      'Please try again later.',
  });

/** Refuses a call that is beyond the account's limits, as the provider does: nothing of it ran. */
const refuseByRate = (
  core: Core,
  received: ParsedRequest,
  out: FastifyReply,
): Answer | undefined => {
  const { credential, method, route, id } = received;
  const reason =
    credential &&
    core.rates.take({ account: credential.account, method, endpoint: route.path, id });
  if (!reason) return undefined;
  out.header('stripe-rate-limited-reason', reason);
  const answer = errorAnswer(core, received.request, rateLimited());
  record(core, received, answer);
  return answer;
};

/** Applies a fault that stops the call now. Returns undefined when the call may run. */
const refuseByFault = (
  core: Core,
  received: ParsedRequest,
  out: FastifyReply,
): Answer | 'gone' | undefined => {
  const action = received.fault?.action;
  if (action === 'error_429' || action === 'error_409') {
    out.header('retry-after', '1');
    if (action === 'error_429') out.header('stripe-rate-limited-reason', 'global-rate');
    const error = action === 'error_429' ? rateLimited() : keyInUse(received.idempotencyKey);
    const answer = errorAnswer(core, received.request, error);
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

const isConfirmation = ({ route }: ParsedRequest): boolean => route.path.endsWith('/confirm');

const isByPage = (received: ParsedRequest): boolean =>
  isConfirmation(received) && received.credential?.key === 'publishable';

const refuseLocked = (core: Core, received: ParsedRequest): Answer => {
  const answer = errorAnswer(core, received.request, lockTimeout());
  record(core, received, answer);
  return answer;
};

/** Lets only one confirmation run per intent, until its response was sent. */
const createLocks = () => {
  const locked = new Map<string, string | null>();
  return async <T>(
    received: ParsedRequest,
    perform: () => Promise<T>,
    refuse: () => T,
  ): Promise<T> => {
    const { id, idempotencyKey } = received;
    if (!isConfirmation(received)) return perform();
    // A repeat with the same key gets the answer of the call that it repeats.
    const isRepeat = idempotencyKey !== null && locked.get(id) === idempotencyKey;
    if (isRepeat) return perform();
    if (locked.has(id)) return refuse();
    locked.set(id, idempotencyKey);
    try {
      return await perform();
    } finally {
      locked.delete(id);
    }
  };
};

const reportExchange = (core: Core, received: ParsedRequest, { status, body }: Answer): void =>
  core.onCardExchange?.({
    method: received.method,
    path: received.path,
    form: received.form,
    version: received.version,
    idempotencyKey: received.idempotencyKey,
    isByPage: received.credential?.key === 'publishable',
    status,
    body,
  });

// Deliveries are picked up in the same turn as the commit, so that no other call waits for them: an endpoint
// that asks the API about the event would wait for itself.
const runAndTell = async (core: Core, received: ParsedRequest): Promise<Answer> => {
  const answer = execute(core, received);
  reportExchange(core, received, answer);
  const early = core.webhooks.deliverEarly();
  if (early) await early;
  return answer;
};

export const createWire = (
  core: Core,
  judge: () => Promise<void> = () => delay(judgingMs),
): Wire => {
  const inFlight = new Set<string>();
  const oneAtATime = createLocks();
  const late = new Set<NodeJS.Timeout>();

  const runLater = (received: ParsedRequest): void => {
    const timer = setTimeout(() => {
      late.delete(timer);
      void runAndTell(core, received);
    }, received.fault?.delayMs ?? 0);
    late.add(timer);
  };

  const runNow = async (received: ParsedRequest): Promise<Answer> => {
    const slowMs = received.fault?.action === 'slow' ? received.fault.delayMs : 0;
    const pause = core.latencyMs + slowMs;
    const isJudged = isByPage(received);
    const slot = received.keyed && `${received.keyed.account} ${received.keyed.key}`;
    if (slot && inFlight.has(slot)) {
      const answer = errorAnswer(core, received.request, keyInUse(received.idempotencyKey));
      record(core, received, answer);
      return answer;
    }
    if (pause === 0 && !isJudged) return runAndTell(core, received);
    if (slot) inFlight.add(slot);
    try {
      if (pause > 0) await delay(pause);
      if (isJudged) await judge();
      return await runAndTell(core, received);
    } finally {
      if (slot) inFlight.delete(slot);
    }
  };

  const answerCall = async (route: Route, request: FastifyRequest, out: FastifyReply) => {
    core.schedule.runDue(core.clock.nowMs());
    const received = receive(core, route, request);
    const send = createReply(core, received, out);
    try {
      readRequest(core, received, request);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const answer = errorAnswer(core, received.request, error);
      record(core, received, answer);
      return send(answer);
    }
    const performCall = async () => {
      const refused = refuseByRate(core, received, out) ?? refuseByFault(core, received, out);
      if (refused !== 'gone') return send(refused ?? (await runNow(received)));
      if (received.fault?.action === 'late') runLater(received);
      return out;
    };
    return oneAtATime(received, performCall, () => send(refuseLocked(core, received)));
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
