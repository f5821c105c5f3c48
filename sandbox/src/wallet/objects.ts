// The wallet's objects, in tables of their own: one row per object, with its text before the last change,
// which a lagging replica shows.
import type { Cell, Row, Store } from '../state/store.ts';
import { missingResource } from './errors.ts';
import type { Amount } from './money.ts';

/** What happens after the payer's approval, as chosen on the approval page. */
export const behaviours = [
  'completes',
  'declined',
  'pends',
  'denied',
  'refund_pends',
  'refund_fails',
  'saved_later',
  'not_saved',
  'declined_later',
  'needs_payer',
] as const;
export type Behaviour = (typeof behaviours)[number];

export type OrderStatus = 'CREATED' | 'PAYER_ACTION_REQUIRED' | 'APPROVED' | 'COMPLETED' | 'VOIDED';

export type Order = {
  id: string;
  createdMs: number;
  updatedMs: number;
  status: OrderStatus;
  amount: Amount;
  referenceId: string;
  customId: string | null;
  invoiceId: string | null;
  description: string | null;
  /**
   * The request named the payment source, and did not leave it to the payer: this changes the wire's status
   * of an open order.
   */
  hasSource: boolean;
  returnUrl: string | null;
  cancelUrl: string | null;
  /** The customer for whom the payer's account is saved for later charges, once the order is paid. */
  storesFor: string | null;
  payerId: string | null;
  behaviour: Behaviour;
};

export type Capture = {
  id: string;
  createdMs: number;
  updatedMs: number;
  status: 'COMPLETED' | 'DECLINED' | 'PARTIALLY_REFUNDED' | 'PENDING' | 'REFUNDED';
  amount: Amount;
  refundedMinor: number;
  orderId: string;
  customId: string | null;
  invoiceId: string | null;
  behaviour: Behaviour;
  idempotencyKey: string | null;
};

export type Refund = {
  id: string;
  createdMs: number;
  updatedMs: number;
  status: 'COMPLETED' | 'PENDING' | 'FAILED';
  amount: Amount;
  captureId: string;
  orderId: string;
  customId: string | null;
  invoiceId: string | null;
  note: string | null;
  totalMinor: number;
};

export type SetupToken = {
  id: string;
  status: 'PAYER_ACTION_REQUIRED' | 'APPROVED' | 'VAULTED';
  customerId: string;
  usageType: string | null;
  description: string | null;
  returnUrl: string | null;
  cancelUrl: string | null;
  payerId: string | null;
  behaviour: Behaviour;
};

export type PaymentToken = {
  id: string;
  customerId: string;
  payerId: string;
  usageType: string | null;
  behaviour: Behaviour;
};

export type Webhook = { id: string; url: string; eventTypes: string[] };

/** `body` is signed and sent unchanged. */
export type WalletEvent = { id: string; type: string; about: string; body: string };

export type WalletKinds = {
  order: Order;
  capture: Capture;
  refund: Refund;
  setup_token: SetupToken;
  payment_token: PaymentToken;
  webhook: Webhook;
  event: WalletEvent;
};
export type WalletKind = keyof WalletKinds;

export type StoredWalletObject<K extends WalletKind> = { account: string; object: WalletKinds[K] };

type Links = {
  /** The order of a capture, or the capture of a refund. */
  parent?: string | null;
  /** Another key for look-ups: the invoice of a capture, or the customer of a token. */
  mark?: string | null;
};

export type Objects = {
  insert: <K extends WalletKind>(
    kind: K,
    kept: StoredWalletObject<K>,
    links?: Links,
  ) => StoredWalletObject<K>;
  save: (kept: StoredWalletObject<WalletKind>) => void;
  find: <K extends WalletKind>(kind: K, id: string) => StoredWalletObject<K> | undefined;
  /** Throws 404 unless `account` has the object. */
  get: <K extends WalletKind>(kind: K, id: string, account: string) => StoredWalletObject<K>;
  /** Oldest first. */
  listBelow: <K extends WalletKind>(kind: K, parent: string) => StoredWalletObject<K>[];
  listMarked: <K extends WalletKind>(
    kind: K,
    account: string,
    mark: string,
  ) => StoredWalletObject<K>[];
  listAll: <K extends WalletKind>(kind: K, account: string) => StoredWalletObject<K>[];
  remove: (id: string) => void;
  /** The objects as they were before the last change of each. Reads only. */
  asBefore: () => Objects;
};

const tables = [
  `create table if not exists wallet_objects (
    seq integer primary key, id text not null unique, kind text not null, account text not null,
    parent text, mark text, body text not null, before text
  )`,
  `create index if not exists wallet_objects_by_parent on wallet_objects (parent)
    where parent is not null`,
  `create index if not exists wallet_objects_by_mark on wallet_objects (account, mark)
    where mark is not null`,
  'create index if not exists wallet_objects_listed on wallet_objects (account, kind, seq)',
];

const createReads = (store: Store, isBefore: boolean) => {
  const readRow = <K extends WalletKind>(row: Row): StoredWalletObject<K> => {
    const text = isBefore && row.before !== null ? row.before : row.body;
    return { account: String(row.account), object: JSON.parse(String(text)) as WalletKinds[K] };
  };
  // An object that has never changed did not exist before its last change, its creation.
  const didExist = (row: Row): boolean => !isBefore || row.before !== null;
  const list = <K extends WalletKind>(where: string, values: Cell[]): StoredWalletObject<K>[] =>
    store
      .all(`select * from wallet_objects where ${where} order by seq`, ...values)
      .filter(didExist)
      .map((row) => readRow<K>(row));
  const find = <K extends WalletKind>(kind: K, id: string): StoredWalletObject<K> | undefined => {
    const row = store.one('select * from wallet_objects where id = ? and kind = ?', id, kind);
    return row && didExist(row) ? readRow<K>(row) : undefined;
  };
  return {
    find,
    get: <K extends WalletKind>(kind: K, id: string, account: string): StoredWalletObject<K> => {
      const found = find(kind, id);
      if (found?.account === account) return found;
      throw missingResource();
    },
    listBelow: <K extends WalletKind>(kind: K, parent: string) =>
      list<K>('parent = ? and kind = ?', [parent, kind]),
    listMarked: <K extends WalletKind>(kind: K, account: string, mark: string) =>
      list<K>('account = ? and mark = ? and kind = ?', [account, mark, kind]),
    listAll: <K extends WalletKind>(kind: K, account: string) =>
      list<K>('account = ? and kind = ?', [account, kind]),
  };
};

export const createObjects = (store: Store): Objects => {
  for (const table of tables) store.run(table);
  const writes = {
    insert: <K extends WalletKind>(
      kind: K,
      kept: StoredWalletObject<K>,
      links: Links = {},
    ): StoredWalletObject<K> => {
      store.run(
        `insert into wallet_objects (id, kind, account, parent, mark, body)
         values (?, ?, ?, ?, ?, ?)`,
        kept.object.id,
        kind,
        kept.account,
        links.parent ?? null,
        links.mark ?? null,
        JSON.stringify(kept.object),
      );
      return kept;
    },
    save: (kept: StoredWalletObject<WalletKind>): void =>
      store.run(
        'update wallet_objects set before = body, body = ? where id = ?',
        JSON.stringify(kept.object),
        kept.object.id,
      ),
    remove: (id: string): void => store.run('delete from wallet_objects where id = ?', id),
  };
  return {
    ...writes,
    ...createReads(store, false),
    asBefore: () => ({
      ...writes,
      ...createReads(store, true),
      asBefore: () => {
        throw new Error('already as before');
      },
    }),
  };
};
