// The wallet in the sandbox: PayPal's Orders v2, Payments v2, Vault v3 and webhooks, over the same
// file, clock, faults and ledger as the card provider.
import type { FastifyError, FastifyInstance } from 'fastify';
import type { Core } from '../core.ts';
import type { DueTask } from '../schedule.ts';
import { grantToken, OauthError, openWalletAccount, prepareAccounts } from './accounts.ts';
import { registerWalletControls } from './controls.ts';
import { createWalletMemory } from './idempotency.ts';
import { createNotices } from './notices.ts';
import { createObjects } from './objects.ts';
import { denyCapture, failRefund, finishCapture, finishRefund } from './order-moves.ts';
import { orderRoutes } from './orders.ts';
import { registerApprovals } from './page.ts';
import { paymentRoutes } from './payments.ts';
import { vaultRoutes } from './vault.ts';
import { actAlone, type Wallet } from './wallet.ts';
import { webhookRoutes } from './webhook-routes.ts';
import { createWalletWire, type Exchange } from './wire.ts';

export type { Exchange } from './wire.ts';

const routes = [...orderRoutes, ...paymentRoutes, ...vaultRoutes, ...webhookRoutes];

const tasks = {
  wallet_finish_capture: finishCapture,
  wallet_deny_capture: denyCapture,
  wallet_finish_refund: finishRefund,
  wallet_fail_refund: failRefund,
} as const;
export type WalletTask = keyof typeof tasks;

const isTask = (task: string): task is WalletTask => Object.hasOwn(tasks, task);

const forgotten = ['wallet_remembered', 'wallet_deliveries'];

export type WalletSandbox = ReturnType<typeof openWallet>;

const registerOauth = (app: FastifyInstance, core: Core): void => {
  app.post('/v1/oauth2/token', ({ headers, body }, reply) => {
    try {
      return grantToken(core, headers.authorization, typeof body === 'string' ? body : '');
    } catch (error) {
      if (!(error instanceof OauthError)) throw error;
      return reply.code(error.status).send(error.body);
    }
  });
};

/** Opens the wallet over the sandbox's parts; it has no state of its own outside the file. */
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
    /** The wallet's side of an account, for `POST /_control/accounts`. */
    openAccount: (account: string, name: string) =>
      openWalletAccount(store, ids, { account, name }),
    forgetKey: wallet.memory.forget,
    /** False for a task that is not the wallet's. */
    runTask: ({ task, account, object }: DueTask): boolean => {
      if (!isTask(task)) return false;
      tasks[task](actAlone(core, wallet, account), object);
      return true;
    },
    /** Forgets payments and keys; webhooks stay unless all is to go. */
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
