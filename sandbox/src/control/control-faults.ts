// The controls that plant faults and delete remembered idempotency keys of the provider.
import type { FastifyInstance } from 'fastify';
import type { Core } from '../core/core.ts';
import {
  optional,
  readBody,
  readChoice,
  readFlag,
  readText,
  readWhole,
} from '../requests/control-body.ts';
import {
  callFaults,
  type Fault,
  type Match,
  type PlantedFault,
  webhookFaults,
} from '../state/faults.ts';
import type { WalletSandbox } from '../wallet/index.ts';

const matchNames = ['method', 'path', 'object', 'event', 'account'] as const;

const readMatch = (value: unknown): Match => {
  const body = readBody(value, matchNames);
  const match: Match = {};
  for (const name of matchNames) {
    if (body[name] !== undefined) match[name] = readText(body[name], `match.${name}`);
  }
  return match;
};

const actions = Object.keys({ ...callFaults, ...webhookFaults }) as Fault['action'][];
const many = 1_000_000;

const readFault = (value: unknown): PlantedFault => {
  const body = readBody(value, ['match', 'action', 'count', 'delayMs', 'executes']);
  const action = readChoice(body.action, 'action', actions);
  return {
    match: readMatch(body.match),
    action,
    count: readWhole(body.count ?? (action === 'hold_webhooks' ? many : 1), 'count', [1, many]),
    delayMs: readWhole(body.delayMs ?? 1000, 'delayMs', [0, 600_000]),
    executes: optional(body.executes, (given) => readFlag(given, 'executes')) ?? false,
  };
};

export const registerFaults = (app: FastifyInstance, core: Core, wallet: WalletSandbox): void => {
  const showFaults = () => ({
    kept: 'in memory: a restart forgets them',
    faults: core.faults.list(),
  });
  app.post('/faults', ({ body }) => core.faults.add(readFault(body)));
  app.get('/faults', showFaults);
  app.delete<{ Querystring: { account?: string } }>('/faults', ({ query }) => {
    core.faults.clear(query.account);
    return showFaults();
  });
  app.post('/keys/forget', ({ body }) => {
    const given = readBody(body, ['key', 'account']);
    const key = readText(given.key, 'key');
    const account = optional(given.account, (value) => readText(value, 'account'));
    return { forgotten: core.memory.forget(key, account) + wallet.forgetKey(key, account) };
  });
};
