// Every movement of money as the provider saw it, and every API call that it received: fault tests compare
// results with it. Rows are only added. A call's `answered` is set once its last byte was sent, and written
// shortly after together with others, so a killed sandbox loses the newest ones.
import type { Cell, Row, Store } from './store.ts';

export type MovementKind =
  | 'authorize'
  | 'capture'
  | 'void'
  | 'refund'
  | 'refund_failed'
  | 'take_back'
  | 'dispute_withdrawn'
  | 'dispute_reinstated';

/** What caused the movement: an API call, a person in the dashboard, or the provider itself. */
export type Origin = 'api' | 'dashboard' | 'automatic';

export type Movement = {
  at: number;
  account: string;
  kind: MovementKind;
  object: string;
  intent: string | null;
  charge: string | null;
  amount: number;
  currency: string;
  idempotencyKey: string | null;
  metadata: Record<string, string>;
  origin: Origin;
  request: string | null;
};

export type ReceivedCall = {
  id: string;
  at: number;
  account: string | null;
  method: string;
  path: string;
  intent: string | null;
  idempotencyKey: string | null;
  status: number | null;
  fault: string | null;
  isReplay: boolean;
};

type LedgerFilter = {
  account?: string | undefined;
  intent?: string | undefined;
  since?: number | undefined;
};

export type Ledger = {
  append: (movement: Movement) => void;
  list: (wanted: LedgerFilter) => unknown[];
  appendCall: (call: ReceivedCall) => void;
  noteAnswered: (requestId: string) => void;
  /** Writes the `answered` marks collected so far: before every read, on a timer, and at the end. */
  flush: () => void;
  listCalls: (wanted: { intent?: string | undefined; id?: string | undefined }) => unknown[];
};

const filtered = (pairs: [string, Cell | undefined][]): [string, Cell[]] => {
  const used = pairs.filter((pair): pair is [string, Cell] => pair[1] !== undefined);
  const where = used.length ? ` where ${used.map(([part]) => part).join(' and ')}` : '';
  return [where, used.map(([, value]) => value)];
};

const showEntry = (row: Row) => ({
  seq: row.seq,
  at: new Date(Number(row.at)).toISOString(),
  account: row.account,
  kind: row.kind,
  object: row.object,
  intent: row.intent,
  charge: row.charge,
  amount: row.amount,
  currency: row.currency,
  idempotencyKey: row.idempotency_key,
  metadata: JSON.parse(String(row.metadata)) as unknown,
  origin: row.origin,
  request: row.request,
  // A movement without a call has no response to wait for.
  answered: row.request === null || row.answered === 1,
});

const call = (row: Row) => ({
  id: row.id,
  seq: row.seq,
  at: new Date(Number(row.at)).toISOString(),
  account: row.account,
  method: row.method,
  path: row.path,
  intent: row.intent,
  idempotencyKey: row.idempotency_key,
  status: row.status,
  fault: row.fault,
  replayed: row.is_replay === 1,
  answered: row.answered === 1,
});

export const createLedger = (store: Store): Ledger => {
  let answered: string[] = [];
  const flush = (): void => {
    if (answered.length === 0 || store.isClosed()) return;
    const noted = answered;
    answered = [];
    store.transaction(() => {
      for (const id of noted) store.run('update requests set answered = 1 where id = ?', id);
    });
  };
  return {
    flush,
    append: (movement) => {
      store.run(
        `insert into movements (at, account, kind, object, intent, charge, amount, currency,
         idempotency_key, metadata, origin, request) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        movement.at,
        movement.account,
        movement.kind,
        movement.object,
        movement.intent,
        movement.charge,
        movement.amount,
        movement.currency,
        movement.idempotencyKey,
        JSON.stringify(movement.metadata),
        movement.origin,
        movement.request,
      );
    },
    list: (wanted) => {
      flush();
      const [where, values] = filtered([
        ['m.account = ?', wanted.account],
        ['m.intent = ?', wanted.intent],
        ['m.seq > ?', wanted.since],
      ]);
      const sql = `select m.*, r.answered from movements m
      left join requests r on r.id = m.request${where} order by m.seq`;
      return store.all(sql, ...values).map(showEntry);
    },
    appendCall: (received) => {
      store.run(
        `insert into requests (id, at, account, method, path, intent, idempotency_key, status, fault,
         is_replay, answered) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`,
        received.id,
        received.at,
        received.account,
        received.method,
        received.path,
        received.intent,
        received.idempotencyKey,
        received.status,
        received.fault,
        received.isReplay ? 1 : 0,
      );
    },
    noteAnswered: (requestId) => {
      answered.push(requestId);
    },
    listCalls: (wanted) => {
      flush();
      const [where, values] = filtered([
        ['intent = ?', wanted.intent],
        ['id = ?', wanted.id],
      ]);
      return store.all(`select * from requests${where} order by seq`, ...values).map(call);
    },
  };
};
