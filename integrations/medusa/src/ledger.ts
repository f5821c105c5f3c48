// What the plugin asks of Svc about one payment. Each operation has one fixed key, so that Medusa's new key for each
// try is harmless, and after any failure the payment is read: what it says counts.

import type { Payment, Svc } from '@svc/server';

/** Whether the money was taken, whatever was given back of it later. */
export const isCaptured = ({ status }: Payment): boolean =>
  ['succeeded', 'partially_refunded', 'refunded'].includes(status);

export class Ledger {
  readonly svc: Svc;

  constructor(svc: Svc) {
    this.svc = svc;
  }

  read(paymentId: string): Promise<Payment> {
    return this.svc.payments.retrieve(paymentId);
  }

  /** Takes the whole hold, once. Throws when the money has not been taken, or nobody knows yet. */
  async capture(paymentId: string): Promise<Payment> {
    const ask = () =>
      this.svc.request('PUT', `/v1/payments/${paymentId}/capture`, {}, key('capture', paymentId));
    return this.#until(paymentId, ask, isCaptured);
  }

  /** Releases the hold, or gives everything back where it was taken already. Nothing is owed afterwards. */
  async undo(paymentId: string): Promise<Payment> {
    const payment = await this.read(paymentId);
    if (isCaptured(payment)) {
      if (payment.amountRefundable > 0) await this.refund(payment, payment.amountRefundable);
      return this.read(paymentId);
    }
    if (payment.status === 'voided' || payment.status === 'failed') return payment;
    const ask = () =>
      this.svc.request('PUT', `/v1/payments/${paymentId}/cancel`, {}, key('cancel', paymentId));
    return this.#until(paymentId, ask, ({ status }) => ['voided', 'failed'].includes(status));
  }

  /**
   * Gives an amount back. The key contains the version that the caller has read, so that two presses at once are one
   * refund, as is a second one after a request that never arrived. One that did arrive shows in `amountRefunded`.
   */
  async refund(seen: Payment, amount: number): Promise<Payment> {
    const ask = () =>
      this.svc.payments.refund(
        seen.id,
        { amount },
        key(`refund-${seen.version}-${amount}`, seen.id),
      );
    let failed: string | null = null;
    const after = await this.#until(
      seen.id,
      async () => {
        const refund = await ask();
        if (refund.status === 'refund_failed') failed = refund.failureCode ?? 'refund_failed';
      },
      ({ amountRefunded }) => amountRefunded > seen.amountRefunded,
    ).catch((error: unknown) => {
      throw failed ? new Error(`the provider refused the refund: ${failed}`) : error;
    });
    return after;
  }

  /** Asks, then reads whether it is done, whatever the answer was. */
  async #until(
    paymentId: string,
    ask: () => Promise<unknown>,
    isDone: (payment: Payment) => boolean,
  ): Promise<Payment> {
    const failure: { error?: unknown } = {};
    await ask().catch((error: unknown) => {
      failure.error = error;
    });
    const payment = await this.read(paymentId);
    if (isDone(payment)) return payment;
    throw failure.error ?? new Error(`the payment is ${payment.status}`);
  }
}

const key = (doing: string, paymentId: string) => ({
  idempotencyKey: `medusa-${doing}-${paymentId}`,
});
