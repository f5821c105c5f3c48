// Every object the provider knows, unexpanded as the wire shows it, plus notes that the wire never
// shows (a card's behaviour, a signing secret). Scoped to the account: another one's id is missing.
import type Stripe from 'stripe';
import { missingResource } from './errors.ts';
import type { Cell, Row, Store } from './store.ts';

export type Kinds = {
  payment_intent: Stripe.PaymentIntent;
  charge: Stripe.Charge;
  payment_method: Stripe.PaymentMethod;
  customer: Stripe.Customer;
  setup_intent: Stripe.SetupIntent;
  setup_attempt: Stripe.SetupAttempt;
  refund: Stripe.Refund;
  balance_transaction: Stripe.BalanceTransaction;
  dispute: Stripe.Dispute;
  event: Stripe.EventBase;
  webhook_endpoint: Stripe.WebhookEndpoint;
};
export type Kind = keyof Kinds;

type IntentNotes = { returnUrl: string | null; offSession: boolean };
export type Notes = {
  payment_intent: IntentNotes;
  setup_intent: IntentNotes;
  payment_method: { behaviour: string; isSetUp: boolean; isUsedUp: boolean };
  webhook_endpoint: { secret: string };
  customer: { isDeleted: boolean };
  charge: Record<string, never>;
  setup_attempt: Record<string, never>;
  refund: Record<string, never>;
  balance_transaction: Record<string, never>;
  dispute: Record<string, never>;
  event: Record<string, never>;
};

/** An object as stored: change `object` or `notes` in place, then `save`. */
export type Kept<K extends Kind> = { account: string; object: Kinds[K]; notes: Notes[K] };

export type Filter = {
  customer?: string | undefined;
  intent?: string | undefined;
  charge?: string | undefined;
  after?: number | undefined;
  before?: number | undefined;
  created?: { gt?: number; gte?: number; lt?: number; lte?: number } | undefined;
  limit: number;
};

export type Resources = {
  insert: <K extends Kind>(kind: K, kept: Kept<K>) => Kept<K>;
  save: <K extends Kind>(kept: Kept<K>) => void;
  find: <K extends Kind>(kind: K, id: string) => Kept<K> | undefined;
  /** 404 `resource_missing` unless `account` has it. */
  get: <K extends Kind>(kind: K, id: string, scope: { account: string; param?: string }) => Kept<K>;
  /** Newest first; with `before` oldest first, as a page is read backwards. */
  list: <K extends Kind>(kind: K, account: string, filter: Filter) => Kept<K>[];
  findSeq: (kind: Kind, account: string, id: string) => number | undefined;
  remove: (id: string) => void;
};

type Links = {
  customer?: unknown;
  payment_intent?: unknown;
  setup_intent?: unknown;
  charge?: unknown;
};

const link = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const linksOf = (object: unknown): [Cell, Cell, Cell] => {
  const links = object as Links;
  return [
    link(links.customer),
    link(links.payment_intent) ?? link(links.setup_intent),
    link(links.charge),
  ];
};

// The links as last written: rewriting them costs three indexes, and most changes leave them alone.
const writtenLinks = new WeakMap<object, string>();

const keep = <K extends Kind>(kept: Kept<K>): Kept<K> => {
  writtenLinks.set(kept, linksOf(kept.object).join(' '));
  return kept;
};

const read = <K extends Kind>(row: Row): Kept<K> =>
  keep({
    account: String(row.account),
    object: JSON.parse(String(row.body)) as Kinds[K],
    notes: JSON.parse(String(row.notes)) as Notes[K],
  });

const condition = (filter: Filter): [string, Cell[]] => {
  const parts: string[] = [];
  const values: Cell[] = [];
  const add = (part: string, value: Cell | undefined) => {
    if (value === undefined) return;
    parts.push(` and ${part}`);
    values.push(value);
  };
  add('customer = ?', filter.customer);
  add('intent = ?', filter.intent);
  add('charge = ?', filter.charge);
  add('seq < ?', filter.after);
  add('seq > ?', filter.before);
  add('created > ?', filter.created?.gt);
  add('created >= ?', filter.created?.gte);
  add('created < ?', filter.created?.lt);
  add('created <= ?', filter.created?.lte);
  return [parts.join(''), values];
};

export const createResources = (store: Store): Resources => {
  const find = <K extends Kind>(kind: K, id: string): Kept<K> | undefined => {
    const row = store.one(
      'select account, body, notes from resources where id = ? and kind = ?',
      id,
      kind,
    );
    return row ? read<K>(row) : undefined;
  };
  return {
    find,
    insert: (kind, kept) => {
      const created = 'created' in kept.object ? kept.object.created : 0;
      store.run(
        `insert into resources (id, kind, account, created, customer, intent, charge, body, notes)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        kept.object.id,
        kind,
        kept.account,
        created,
        ...linksOf(kept.object),
        JSON.stringify(kept.object),
        JSON.stringify(kept.notes),
      );
      return keep(kept);
    },
    save: (kept) => {
      const { id } = kept.object;
      const links = linksOf(kept.object);
      if (writtenLinks.get(kept) !== links.join(' ')) {
        store.run(
          'update resources set customer = ?, intent = ?, charge = ? where id = ?',
          ...links,
          id,
        );
        writtenLinks.set(kept, links.join(' '));
      }
      store.run(
        'update resources set body = ?, notes = ? where id = ?',
        JSON.stringify(kept.object),
        JSON.stringify(kept.notes),
        id,
      );
    },
    get: (kind, id, scope) => {
      const kept = find(kind, id);
      if (kept?.account === scope.account) return kept;
      throw missingResource(kind, id, scope.param ?? 'id');
    },
    list: <K extends Kind>(kind: K, account: string, filter: Filter) => {
      const [where, values] = condition(filter);
      const order = filter.before === undefined ? 'desc' : 'asc';
      const sql = `select account, body, notes from resources
        where account = ? and kind = ?${where} order by seq ${order} limit ?`;
      return store.all(sql, account, kind, ...values, filter.limit).map((row) => read<K>(row));
    },
    findSeq: (kind, account, id) => {
      const row = store.one(
        'select seq from resources where id = ? and kind = ? and account = ?',
        id,
        kind,
        account,
      );
      return row ? Number(row.seq) : undefined;
    },
    remove: (id) => store.run('delete from resources where id = ?', id),
  };
};
