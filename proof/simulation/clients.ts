// The merchants' requests and the service's workers, as actors: each calls the real operation and
// records its response.

import { isUnavailable } from '../../service/src/engine/is-unavailable.ts';
import type { Ports } from '../../service/src/engine/ports.ts';
import { readNotices } from '../../service/src/engine/runs/notices/read-notices.ts';
import { expireHolds } from '../../service/src/engine/runs/payments/expire-holds.ts';
import { settleInDoubt } from '../../service/src/engine/runs/payments/settle-in-doubt.ts';
import { answerOf, callOperation, type OperationAnswer } from '../kit/operations.ts';
import { ProcessCrashed, type Scheduler } from '../kit/scheduler.ts';
import type { Purchase, Shop } from './shop.ts';

export type PlannedRequest = {
  readonly name: string;
  readonly kind: 'capture' | 'cancel' | 'refund' | 'process';
  readonly purchase: Purchase;
  readonly key: string;
  /** The refund's amount in major units; null for everything that is left. */
  readonly amount: number | null;
};

export type Answer = OperationAnswer & {
  readonly wish: PlannedRequest;
  readonly askedAt: number;
  readonly at: number;
};

/** Whether a repeat can only get the same response. */
export const isFinal = ({ status, code }: OperationAnswer): boolean =>
  (status < 300 && status !== 202) ||
  status === 402 ||
  (status === 409 &&
    code !== 'payment_operation_in_progress' &&
    code !== 'checkout_attempt_in_progress');

export class Clients {
  readonly answers: Answer[] = [];
  readonly violations: string[] = [];
  readonly #shop: Shop;
  readonly #scheduler: Scheduler;

  constructor(shop: Shop, scheduler: Scheduler) {
    this.#shop = shop;
    this.#scheduler = scheduler;
  }

  /** Repeats the request until its response is final, at most `tries` times. */
  async ask(wish: PlannedRequest, tries: number): Promise<void> {
    for (let left = tries; left > 0; left--) {
      const askedAt = this.#shop.nowMs();
      const told = await this.#call(wish);
      this.answers.push({ wish, ...told, askedAt, at: this.#shop.nowMs() });
      this.#scheduler.note(wish.name, wish.kind, `is told ${told.status} ${told.code ?? ''}`);
      if (isFinal(told)) return;
      await this.#scheduler.gate('ask again');
    }
  }

  async #call(wish: PlannedRequest): Promise<OperationAnswer> {
    try {
      return await answerOf(() => this.#run(wish));
    } catch (error) {
      if (error instanceof ProcessCrashed) throw error;
      this.violations.push(`X1 ${wish.kind} threw ${String(error)}`);
      return { status: 503, code: 'service_unavailable', body: null, text: null };
    }
  }

  #run(wish: PlannedRequest): Promise<unknown> {
    const { ports } = this.#shop;
    if (wish.kind === 'process') return this.#shop.process(wish.purchase);
    const digest = Buffer.alloc(32, `${wish.kind} ${wish.amount ?? 'all'} `);
    const input = {
      paymentId: wish.purchase.paymentId ?? '',
      idempotencyKey: wish.key,
      rawSha256: digest,
      canonSha256: digest,
    };
    const as = { caller: this.#shop.caller(`req_${wish.key}`), ports };
    if (wish.kind === 'refund') {
      const body = wish.amount === null ? {} : { amount: wish.amount };
      return callOperation('createRefund', { ...input, body }, as);
    }
    const name = wish.kind === 'capture' ? 'capturePayment' : 'cancelPayment';
    return callOperation(name, { ...input, body: {} }, as);
  }

  /** Runs one pass of one worker. */
  async work(pass: WorkerPass): Promise<void> {
    try {
      await passes[pass](this.#shop.ports, this.#judge);
    } catch (error) {
      this.#judge(pass, error);
    }
  }

  #judge = (about: unknown, error: unknown): void => {
    if (error instanceof ProcessCrashed || isUnavailable(error)) return;
    const what = typeof about === 'string' ? about : 'a worker';
    this.violations.push(
      `X1 ${what} threw ${error instanceof Error ? error.stack : String(error)}`,
    );
  };
}

export type WorkerPass = 'settle in doubt' | 'expire holds' | 'read notices';

type OnError = (about: unknown, error: unknown) => void;

const limit = 50;
const passes: Readonly<Record<WorkerPass, (ports: Ports, onError: OnError) => Promise<number>>> = {
  'settle in doubt': (ports, onError) => settleInDoubt(ports, { limit, onError }),
  'expire holds': (ports, onError) => expireHolds(ports, { limit, onError }),
  'read notices': (ports, onError) => readNotices(ports, { limit, onError }),
};
