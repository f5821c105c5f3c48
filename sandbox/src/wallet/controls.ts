// The wallet's controls: what a payer, a person in the dashboard, or time causes. Contract §13.
import type { FastifyInstance } from 'fastify';
import type { Core } from '../core/core.ts';
import {
  BadControl,
  optional,
  readBody,
  readChoice,
  readText,
  readWhole,
} from '../requests/control-body.ts';
import { releaseOrders } from '../webhooks/release-order.ts';
import { WalletError } from './errors.ts';
import { behaviours, type StoredWalletObject, type WalletKind } from './objects.ts';
import {
  approveOrder,
  captureOrder,
  declineCapture,
  failRefund,
  finishCapture,
  finishRefund,
  hasRunOut,
  refundCapture,
  saveOrder,
} from './order-moves.ts';
import { payerOf } from './page.ts';
import { showCapture, showOrder, showRefund, showSetupToken } from './shapes.ts';
import { automaticActor, type Wallet, type WalletActor } from './wallet.ts';

type IdParams = { Params: { id: string } };

const maxDuplicates = 10_000;

const createFind =
  (core: Core, wallet: Wallet) =>
  <K extends WalletKind>(
    kind: K,
    id: string,
  ): { kept: StoredWalletObject<K>; actor: WalletActor } => {
    const kept = wallet.objects.find(kind, id);
    if (!kept) throw new BadControl(`no such ${kind}: ${id}`);
    return { kept, actor: automaticActor(core, wallet, kept.account) };
  };

const dashboardActor = (actor: WalletActor): WalletActor => ({ ...actor, origin: 'dashboard' });

const readBehaviour = (body: unknown) =>
  readChoice(readBody(body, ['behaviour']).behaviour ?? 'completes', 'behaviour', behaviours);

/** Runs a state change. A refusal of the wire becomes an error of the control. */
const runMove = <T>(core: Core, work: () => T): T => {
  try {
    return core.store.transaction(work);
  } catch (error) {
    throw error instanceof WalletError ? new BadControl(error.message) : error;
  }
};

const registerOrders = (app: FastifyInstance, core: Core, wallet: Wallet): void => {
  const find = createFind(core, wallet);
  app.post<IdParams>('/wallet/orders/:id/approve', ({ params: { id }, body }) => {
    const behaviour = readBehaviour(body);
    const { kept, actor } = find('order', id);
    const { status } = kept.object;
    if (hasRunOut(actor, kept.object) || status === 'COMPLETED' || status === 'VOIDED') {
      throw new BadControl(`${id} waits for no approval`);
    }
    runMove(core, () => approveOrder(actor, kept, { id: payerOf(core, kept.account), behaviour }));
    return showOrder(actor, kept);
  });
  app.post<IdParams>('/wallet/orders/:id/capture', ({ params: { id }, body }) => {
    readBody(body, []);
    const { kept, actor } = find('order', id);
    runMove(core, () => captureOrder(dashboardActor(actor), kept, null));
    return showOrder(actor, kept);
  });
  app.post<IdParams>('/wallet/orders/:id/void', ({ params: { id }, body }) => {
    readBody(body, []);
    const { kept, actor } = find('order', id);
    if (kept.object.status === 'COMPLETED') throw new BadControl(`${id} is COMPLETED`);
    kept.object.status = 'VOIDED';
    runMove(core, () => saveOrder(actor, kept));
    return showOrder(actor, kept);
  });
  app.post<IdParams>('/wallet/setup-tokens/:id/approve', ({ params: { id }, body }) => {
    const behaviour = readBehaviour(body);
    const { kept, actor } = find('setup_token', id);
    if (kept.object.status !== 'PAYER_ACTION_REQUIRED') {
      throw new BadControl(`${id} is ${kept.object.status}`);
    }
    kept.object.status = 'APPROVED';
    kept.object.payerId = payerOf(core, kept.account);
    kept.object.behaviour = behaviour;
    runMove(core, () => wallet.objects.save(kept));
    return showSetupToken(actor, kept);
  });
};

const registerMoney = (app: FastifyInstance, core: Core, wallet: Wallet): void => {
  const find = createFind(core, wallet);
  const ends = [
    ['captures', 'complete', finishCapture],
    ['captures', 'deny', declineCapture],
    ['refunds', 'succeed', finishRefund],
    ['refunds', 'fail', failRefund],
  ] as const;
  for (const [below, end, run] of ends) {
    const kind = below === 'captures' ? 'capture' : 'refund';
    app.post<IdParams>(`/wallet/${below}/:id/${end}`, ({ params: { id }, body }) => {
      readBody(body, []);
      const { kept, actor } = find(kind, id);
      if (!runMove(core, () => run(actor, id))) {
        throw new BadControl(`${id} is ${kept.object.status}`);
      }
      return kind === 'capture'
        ? showCapture(actor, find('capture', id).kept)
        : showRefund(actor, find('refund', id).kept);
    });
  }
  const giveBack = (id: string, body: unknown, isReversal: boolean) => {
    const given = optional(readBody(body, ['amount']).amount, (value) =>
      readWhole(value, 'amount', [1, 999_999_999]),
    );
    const { kept, actor } = find('capture', id);
    const left = kept.object.amount.minor - kept.object.refundedMinor;
    const amountMinor = given ?? left;
    const { status } = kept.object;
    if (status === 'PENDING' || status === 'DECLINED' || amountMinor < 1 || amountMinor > left) {
      throw new BadControl(`${id} is ${status}, and ${left} is left of it`);
    }
    const none = { customId: null, invoiceId: null, note: null };
    const by = isReversal ? actor : dashboardActor(actor);
    const refund = runMove(core, () =>
      refundCapture(by, kept, { amountMinor, ...none, isReversal }),
    );
    return showRefund(actor, refund);
  };
  app.post<IdParams>('/wallet/captures/:id/refund', ({ params, body }) =>
    giveBack(params.id, body, false),
  );
  app.post<IdParams>('/wallet/captures/:id/reverse', ({ params, body }) =>
    giveBack(params.id, body, true),
  );
};

const registerDeliveries = (app: FastifyInstance, { notices }: Wallet): void => {
  app.get('/wallet/webhooks', () => ({ deliveries: notices.list() }));
  app.post('/wallet/webhooks/release', async ({ body }) => {
    const wanted = readBody(body, ['order', 'duplicates', 'seed']);
    const arrived = await notices.release({
      order: readChoice(wanted.order ?? 'fifo', 'order', releaseOrders),
      duplicates: readWhole(wanted.duplicates ?? 0, 'duplicates', [0, maxDuplicates]),
      seed: readText(wanted.seed ?? 'sandbox', 'seed'),
    });
    return { arrived };
  });
};

/** Registers all controls below `/_control/wallet`. */
export const registerWalletControls = (app: FastifyInstance, core: Core, wallet: Wallet): void => {
  registerOrders(app, core, wallet);
  registerMoney(app, core, wallet);
  registerDeliveries(app, wallet);
};
