// The end of a run of the API layer: all work is finished, every final response is requested again,
// and history, events, lists and the provider's ledger must agree with the model.

import { historyOf } from './api-history.ts';
import type { ApiScenario } from './api-scenario.ts';
import { replayHistory } from './replay-history.ts';

export class ApiRest {
  readonly #run: ApiScenario;

  constructor(run: ApiScenario) {
    this.#run = run;
  }

  async rest(): Promise<void> {
    const run = this.#run;
    for (let pass = 0; pass < 2; pass++) await run.recover('through');
    await run.compare();
    await this.#replay();
    for (const id of run.model.purchases.keys()) {
      await this.#compareLedger(id);
      await this.#compareStories(id);
    }
  }

  /** Repeats each key and body: the response has the same bytes, whatever happened since. */
  async #replay(): Promise<void> {
    const run = this.#run;
    for (const { call, text } of run.finals.values()) {
      const again = await run.send(call);
      run.same('an answer heard again', again.text, text);
      run.same('its header', again.headers['idempotent-replayed'], 'true');
      run.count('an answer heard again');
    }
  }

  async #compareLedger(id: string): Promise<void> {
    const run = this.#run;
    const { intentId } = run.realOf(id);
    if (!intentId) return;
    const entries = await run.fixture.world.ledger(intentId);
    const count = (kind: string) => entries.filter((entry) => entry.kind === kind).length;
    const { captures } = run.provider.intent(id);
    run.same(`${id}, captures in the ledger`, count('capture'), captures);
    const given = [...run.model.works.values()].filter(
      (work) => work.purchaseId === id && run.provider.refunds.has(work.id),
    );
    run.same(`${id}, refunds in the ledger`, count('refund'), given.length);
  }

  /** Compares history, events, timeline and list of one payment and its refunds. */
  async #compareStories(id: string): Promise<void> {
    const run = this.#run;
    const { paymentId } = run.realOf(id);
    if (!paymentId) return;
    const { rows, events } = await historyOf(run.fixture.world, paymentId);
    run.same(`${id}, history`, replayHistory(rows, events, this.#shownOf(paymentId)), []);
    const told = events.filter((event) => event.paymentId === paymentId);
    const wanted = run.model
      .purchase(id)
      .events.map((type) => (type === 'purchase' ? 'item.purchased' : type));
    run.same(
      `${id}, events`,
      told.map(({ type }) => type),
      wanted,
    );
    await this.#compareTimeline(paymentId, { rows, events });
    await this.#compareList(id, paymentId);
  }

  #shownOf(paymentId: string) {
    return this.#run.shown.filter((body) => body.includes(paymentId)).map((body) => ({ body }));
  }

  async #compareTimeline(
    paymentId: string,
    { rows, events }: Awaited<ReturnType<typeof historyOf>>,
  ): Promise<void> {
    const run = this.#run;
    const entries: { kind: string; status: string | null; paymentId: string }[] = [];
    for (let cursor = ''; ; ) {
      const query = `limit=100${cursor && `&cursor=${cursor}`}`;
      const path = `/v1/payments/${paymentId}/timeline?${query}`;
      const { body } = await run.fixture.callAsMerchant('GET', path);
      entries.push(...(body.data as typeof entries));
      if (body.nextCursor === null) break;
      cursor = String(body.nextCursor);
    }
    const count = (kind: string) =>
      entries.filter((entry) => entry.kind === kind && entry.paymentId !== null).length;
    const chargebacks = new Set(rows.filter(({ type }) => type === 'chargeback'));
    run.same(`${paymentId}, timeline`, count('status'), rows.length);
    if (chargebacks.size === 0) run.same('its events', count('event'), events.length);
  }

  async #compareList(id: string, paymentId: string): Promise<void> {
    const run = this.#run;
    const query = `parentPaymentId[eq]=${paymentId}&type[eq]=refund&limit=100`;
    const reply = await run.fixture.callAsMerchant('GET', `/v1/payments?${query}`);
    const listed = reply.body.data as { status: string; amountMinor: number }[];
    const wanted = [...run.model.refunds.values()].filter((one) => one.purchaseId === id);
    const sortPairs = (all: readonly (readonly [string, number])[]) => all.map(String).sort();
    run.same('the refunds that are listed', reply.body.total, wanted.length);
    run.same(
      'what is listed of them',
      sortPairs(listed.map((one) => [one.status, one.amountMinor])),
      sortPairs(wanted.map((one) => [one.status, one.amount])),
    );
  }
}
