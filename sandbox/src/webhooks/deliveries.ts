// The queue of deliveries on disk, with one row per event and endpoint, and per duplicate. `pending` is
// sent when due · `held` follows the next one (`reorder_webhooks`) · `kept` waits for its release · `early`
// is sent before the response to its call · `sending` is being sent · `failed` has ended.
import type { Clock } from '../state/clock.ts';
import type { Row, Store } from '../state/store.ts';

export type DeliveryState = 'pending' | 'held' | 'kept' | 'early' | 'sending' | 'failed';

export type PendingDelivery = {
  event: string;
  endpoint: string;
  state: DeliveryState;
  delayMs: number;
};

const retryPauses = [1, 5, 30, 120, 600, 1800, 3600, 3600, 7200, 14_400, 28_800, 43_200];

const createSetState =
  (store: Store) =>
  (row: Row, state: DeliveryState): void =>
    store.run('update deliveries set state = ? where seq = ?', state, row.seq ?? null);

const createClaims = (store: Store, clock: Clock) => {
  const setState = createSetState(store);
  const claim = (find: () => Row[]): Row[] =>
    store.transaction(() => {
      const rows = find();
      for (const row of rows) setState(row, 'sending');
      return rows;
    });
  return {
    claim: (limit: number): Row[] =>
      claim(() =>
        store.all(
          `select * from deliveries where state in ('pending', 'held') and due_at <= ?
           order by due_at, seq limit ?`,
          clock.nowMs(),
          limit,
        ),
      ),
    /** Claims all rows that wait in this state, oldest first; only those of one event when it is given. */
    claimWaiting: (state: 'kept' | 'early', event?: string): Row[] =>
      claim(() =>
        store.all(
          'select * from deliveries where state = ? and event = coalesce(?, event) order by seq',
          state,
          event ?? null,
        ),
      ),
    /** Sends again what an earlier process was sending when it ended. */
    reclaim: (): void =>
      store.run("update deliveries set state = 'pending' where state in ('sending', 'early')"),
  };
};

export const createDeliveryQueue = (store: Store, clock: Clock) => {
  const setState = createSetState(store);
  return {
    ...createClaims(store, clock),
    insert: ({ event, endpoint, state, delayMs }: PendingDelivery): void =>
      store.run(
        'insert into deliveries (event, endpoint, attempt, due_at, state) values (?, ?, 0, ?, ?)',
        event,
        endpoint,
        clock.nowMs() + delayMs,
        state,
      ),
    /** Adds one more delivery of an event, in the state `sending`. */
    insertSending: (event: string, endpoint: string): Row => {
      const row = store.one(
        `insert into deliveries (event, endpoint, attempt, due_at, state)
         values (?, ?, 0, ?, 'sending') returning *`,
        event,
        endpoint,
        clock.nowMs(),
      );
      if (!row) throw new Error('an insert without its row');
      return row;
    },
    list: (): Row[] => store.all('select * from deliveries order by seq'),
    settle: (row: Row, hasArrived: boolean): void => {
      const pause = retryPauses[Number(row.attempt)];
      if (hasArrived) store.run('delete from deliveries where seq = ?', row.seq ?? null);
      else if (pause === undefined) {
        setState(row, 'failed');
      } else {
        store.run(
          `update deliveries set attempt = attempt + 1, due_at = ?, state = 'pending' where seq = ?`,
          clock.nowMs() + pause * 1000,
          row.seq ?? null,
        );
      }
    },
    /** Releases the deliveries that `reorder_webhooks` held back, once a newer one has been sent. */
    releaseHeld: (endpoint: string, sent: Row): void =>
      store.run(
        "update deliveries set due_at = ? where endpoint = ? and state = 'held' and seq < ?",
        clock.nowMs(),
        endpoint,
        sent.seq ?? null,
      ),
    drop: (row: Row): void => store.run('delete from deliveries where seq = ?', row.seq ?? null),
    countPending: (event: string): number =>
      Number(
        store.one(
          "select count(*) as pending from deliveries where event = ? and state <> 'failed'",
          event,
        )?.pending ?? 0,
      ),
  };
};
