// The sandbox's wallet: PayPal's Orders v2, Payments v2, Vault v3 and webhooks, with the file, clock,
// faults and ledger of the card provider.
import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify';
import type { Core } from '../core/core.ts';
import type { DueTask } from '../state/schedule.ts';
import { grantToken, OauthError, openWalletAccount, prepareAccounts } from './accounts.ts';
import { registerWalletControls } from './controls.ts';
import { createWalletMemory } from './idempotency.ts';
import { nextToken } from './identifiers.ts';
import { createNotices } from './notices.ts';
import { createObjects } from './objects.ts';
import {
  declineCapture,
  failRefund,
  finishCapture,
  finishRefund,
  keepPayer,
} from './order-moves.ts';
import { orderRoutes } from './orders.ts';
import { registerApprovals } from './page.ts';
import { paymentRoutes } from './payments.ts';
import { vaultRoutes } from './vault.ts';
import { automaticActor, type Wallet } from './wallet.ts';
import { webhookRoutes } from './webhook-routes.ts';
import { createWalletWire, type Exchange } from './wire.ts';

export type { Exchange } from './wire.ts';

const routes = [...orderRoutes, ...paymentRoutes, ...vaultRoutes, ...webhookRoutes];

const tasks = {
  wallet_finish_capture: finishCapture,
  wallet_deny_capture: declineCapture,
  wallet_finish_refund: finishRefund,
  wallet_fail_refund: failRefund,
  wallet_keep_payer: keepPayer,
} as const;
export type WalletTask = keyof typeof tasks;

const isTask = (task: string): task is WalletTask => Object.hasOwn(tasks, task);

const forgotten = ['wallet_remembered', 'wallet_deliveries'];

export type WalletSandbox = ReturnType<typeof openWallet>;

const tokenPath = '/v1/oauth2/token';

/** Applies a fault planted on token requests: no response, a closed connection, or an HTML 503. */
const refuseToken = (core: Core, reply: FastifyReply): boolean => {
  const fault = core.faults.takeForCall({
    method: 'POST',
    path: tokenPath,
    findAccount: () => undefined,
    isKeyRemembered: () => false,
    isConfirming: () => false,
  });
  if (!fault) return false;
  const isSilent = fault.action === 'half_open' || fault.action === 'timeout_after_commit';
  const isCut = ['drop_request', 'drop_reply', 'late'].includes(fault.action);
  if (!isSilent && !isCut) void reply.code(503).type('text/html').send('<h1>503</h1>');
  else {
    reply.hijack();
    if (isCut) reply.raw.socket?.destroy();
  }
  return true;
};

const recordToken = (core: Core, status: number): void =>
  core.ledger.appendCall({
    id: nextToken(core.ids, 13),
    at: core.clock.nowMs(),
    account: null,
    method: 'POST',
    path: tokenPath,
    intent: null,
    idempotencyKey: null,
    status,
    fault: null,
    isReplay: false,
  });

const registerOauth = (app: FastifyInstance, core: Core): void => {
  app.post(tokenPath, ({ headers, body }, reply) => {
    if (refuseToken(core, reply)) return reply;
    try {
      const form = typeof body === 'string' ? body : '';
      const granted = core.store.transaction(() => grantToken(core, headers.authorization, form));
      recordToken(core, 200);
      return granted;
    } catch (error) {
      if (!(error instanceof OauthError)) throw error;
      recordToken(core, error.status);
      return reply.code(error.status).send(error.body);
    }
  });
};

/** Opens the wallet with the sandbox's parts. It has no state outside the file. */
export const openWallet = (core: Core, onExchange?: (exchange: Exchange) => void) => {
  const { store, clock, faults, ids, baseUrl } = core;
  prepareAccounts(store);
  const objects = createObjects(store);
  const wallet: Wallet = {
    objects,
    notices: createNotices({ store, objects, clock, faults, ids, baseUrl }),
    memory: createWalletMemory(store, clock),
  };
  const wire = createWalletWire({ core, wallet, onExchange });
  return {
    registerApi: (app: FastifyInstance): void => {
      app.removeAllContentTypeParsers();
      app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) =>
        done(null, body),
      );
      app.setErrorHandler((error: FastifyError, _request, reply) =>
        reply.code(error.statusCode ?? 500).send({
          name: (error.statusCode ?? 500) < 500 ? 'INVALID_REQUEST' : 'INTERNAL_SERVER_ERROR',
          message: error.message,
          debug_id: 'none',
        }),
      );
      registerOauth(app, core);
      app.get('/v1/notifications/certs/:id', (_request, reply) =>
        reply.type('application/x-pem-file').send(wallet.notices.certificate()),
      );
      wire.register(app, routes);
    },
    registerPages: (app: FastifyInstance): void => registerApprovals(app, core, wallet),
    registerControls: (app: FastifyInstance): void => registerWalletControls(app, core, wallet),
    /** Opens the wallet's part of an account, for `POST /_control/accounts`. */
    openAccount: (account: string, name: string) =>
      openWalletAccount(store, ids, { account, name }),
    forgetKey: wallet.memory.forget,
    /** Returns false for a task that is not the wallet's. */
    runTask: ({ task, account, object }: DueTask): boolean => {
      if (!isTask(task)) return false;
      tasks[task](automaticActor(core, wallet, account), object);
      return true;
    },
    /** Deletes payments and keys. Webhooks stay unless everything is to be deleted. */
    reset: (isAll: boolean): void => {
      for (const table of forgotten) store.run(`delete from ${table}`);
      if (isAll) {
        store.run('delete from wallet_accounts');
        store.run('delete from wallet_tokens');
      }
      store.run(`delete from wallet_objects where kind <> 'webhook' or ?`, isAll ? 1 : 0);
    },
    pump: wallet.notices.pump,
    close: async (): Promise<void> => {
      wire.close();
      await wallet.notices.close();
    },
  };
};
