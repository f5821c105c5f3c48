// Every object of the provider, not expanded, as the wire shows it, with notes that the wire never shows (a
// card's behaviour, a signing secret). Objects belong to an account: an id of another account is reported
// as missing.
import type Stripe from 'stripe';
import { missingResource } from '../requests/errors.ts';
import type { Cell, Row, Store } from './store.ts';

export type Kinds = {
  payment_intent: Stripe.PaymentIntent;
  charge: Stripe.Charge;
  payment_method: Stripe.PaymentMethod;
  customer: Stripe.Customer;
  setup_intent: Stripe.SetupIntent;
  setup_attempt: Stripe.SetupAttempt;
  confirmation_token: Stripe.ConfirmationToken;
  refund: Stripe.Refund;
  balance_transaction: Stripe.BalanceTransaction;
  dispute: Stripe.Dispute;
  'radar.early_fraud_warning': Stripe.Radar.EarlyFraudWarning;
  review: Stripe.Review;
  event: Stripe.EventBase;
  webhook_endpoint: Stripe.WebhookEndpoint;
  product: Stripe.Product;
  price: Stripe.Price;
  'checkout.session': Stripe.Checkout.Session;
};
export type Kind = keyof Kinds;

type IntentNotes = {
  returnUrl: string | null;
  offSession: boolean;
  /** The page authenticates with the provider's browser library, in place of a redirect. */
  usesSdk?: boolean;
  /** The buyer has authenticated, and the server has to confirm once more (`confirmation_method: manual`). */
  isAuthenticated?: boolean;
};
/** What the session's intent is made from, once somebody pays. */
type SessionNotes = {
  /** Complete, but the bank has not decided yet. */
  isAwaited: boolean;
  lines: Stripe.LineItem[];
  intent: Record<string, string | Record<string, string>>;
};
export type Notes = {
  'checkout.session': SessionNotes;
  product: Record<string, never>;
  price: Record<string, never>;
  payment_intent: IntentNotes;
  setup_intent: IntentNotes;
  payment_method: { behaviour: string; isSetUp: boolean; isUsedUp: boolean };
  /** A forwarding endpoint is the command's, which the account's own list does not show. */
  webhook_endpoint: { secret: string; isForwarding?: true };
  customer: { isDeleted: boolean };
  charge: Record<string, never>;
  setup_attempt: Record<string, never>;
  /** The id of the method that was made with the token. */
  confirmation_token: { method: string };
  refund: Record<string, never>;
  balance_transaction: Record<string, never>;
  dispute: Record<string, never>;
  'radar.early_fraud_warning': Record<string, never>;
  review: Record<string, never>;
  event: Record<string, never>;
};

/** An object as stored: change `object` or `notes` in place, then call `save`. */
export type StoredObject<K extends Kind> = { account: string; object: Kinds[K]; notes: Notes[K] };

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
  insert: <K extends Kind>(kind: K, kept: StoredObject<K>) => StoredObject<K>;
  save: <K extends Kind>(kept: StoredObject<K>) => void;
  find: <K extends Kind>(kind: K, id: string) => StoredObject<K> | undefined;
  /** Throws 404 `resource_missing` unless `account` has the object. */
  get: <K extends Kind>(
    kind: K,
    id: string,
    scope: { account: string; param?: string },
  ) => StoredObject<K>;
  /** Newest first; with `before` oldest first, for reading pages backwards. */
  list: <K extends Kind>(kind: K, account: string, filter: Filter) => StoredObject<K>[];
  /**
   * The objects as they were before the call that last changed each of them: what a lagging replica
   * returns. For reads only; kept in memory for the latest changes.
   */
  asBefore: () => Resources;
  forgetBefore: () => void;
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

// The links as last written, because rewriting them updates three indexes and most changes do not affect
// them, and the text of the object when it was read; null for a new one.
type PreviousState = { links: string; body: string | null };
const pasts = new WeakMap<object, PreviousState>();

const rememberState = <K extends Kind>(
  kept: StoredObject<K>,
  body: string | null,
): StoredObject<K> => {
  pasts.set(kept, { links: linksOf(kept.object).join(' '), body });
  return kept;
};

const readRow = <K extends Kind>(row: Row): StoredObject<K> => {
  const body = String(row.body);
  const kept: StoredObject<K> = {
    account: String(row.account),
    object: JSON.parse(body) as Kinds[K],
    notes: JSON.parse(String(row.notes)) as Notes[K],
  };
  return rememberState(kept, body);
};

const maxBefore = 5_000;

/** The text of an object before its last change, for the newest changes only. Null: it did not exist. */
const createPreviousStates = () => {
  const texts = new Map<string, string | null>();
  return {
    set: (id: string, body: string | null): void => {
      texts.delete(id);
      texts.set(id, body);
      if (texts.size <= maxBefore) return;
      const [oldest] = texts.keys();
      if (oldest !== undefined) texts.delete(oldest);
    },
    wasThere: (id: string): boolean => texts.get(id) !== null,
    show: <K extends Kind>(kept: StoredObject<K>): StoredObject<K> => {
      const body = texts.get(kept.object.id);
      return typeof body === 'string' ? { ...kept, object: JSON.parse(body) as Kinds[K] } : kept;
    },
    clear: (): void => texts.clear(),
  };
};

/** Kinds that never change once written: a read of them is never stale. */
const fixedKinds: readonly Kind[] = ['event', 'balance_transaction'];

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
  const before = createPreviousStates();
  const find = <K extends Kind>(kind: K, id: string): StoredObject<K> | undefined => {
    const row = store.one(
      'select account, body, notes from resources where id = ? and kind = ?',
      id,
      kind,
    );
    return row ? readRow<K>(row) : undefined;
  };
  const list = <K extends Kind>(kind: K, account: string, filter: Filter): StoredObject<K>[] => {
    const [where, values] = condition(filter);
    const order = filter.before === undefined ? 'desc' : 'asc';
    const sql = `select account, body, notes from resources
      where account = ? and kind = ?${where} order by seq ${order} limit ?`;
    return store.all(sql, account, kind, ...values, filter.limit).map((row) => readRow<K>(row));
  };
  const writes = createWrites(store, before);
  const now: Resources = {
    ...writes,
    find,
    list,
    get: (kind, id, scope) => requireOwned(find(kind, id), { kind, id, ...scope }),
    findSeq: (kind, account, id) => {
      const row = store.one(
        'select seq from resources where id = ? and kind = ? and account = ?',
        id,
        kind,
        account,
      );
      return row ? Number(row.seq) : undefined;
    },
    forgetBefore: before.clear,
    asBefore: () => {
      const findBefore: Resources['find'] = (kind, id) => {
        const kept = find(kind, id);
        return kept && before.show(kept);
      };
      return {
        ...now,
        find: findBefore,
        get: (kind, id, scope) => requireOwned(findBefore(kind, id), { kind, id, ...scope }),
        list: (kind, account, filter) =>
          list(kind, account, filter)
            .filter(({ object }) => before.wasThere(object.id))
            .map(before.show),
      };
    },
  };
  return now;
};

type OwnedObject = { kind: Kind; id: string; account: string; param?: string };

const requireOwned = <K extends Kind>(
  kept: StoredObject<K> | undefined,
  wanted: OwnedObject,
): StoredObject<K> => {
  if (kept?.account === wanted.account) return kept;
  throw missingResource(wanted.kind, wanted.id, wanted.param ?? 'id');
};

const createWrites = (
  store: Store,
  before: ReturnType<typeof createPreviousStates>,
): Pick<Resources, 'insert' | 'save' | 'remove'> => ({
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
    if (!fixedKinds.includes(kind)) before.set(kept.object.id, null);
    return rememberState(kept, null);
  },
  save: (kept) => {
    const { id } = kept.object;
    const links = linksOf(kept.object);
    const past = pasts.get(kept);
    if (past?.links !== links.join(' ')) {
      store.run(
        'update resources set customer = ?, intent = ?, charge = ? where id = ?',
        ...links,
        id,
      );
    }
    before.set(id, past?.body ?? null);
    pasts.set(kept, { links: links.join(' '), body: past?.body ?? null });
    store.run(
      'update resources set body = ?, notes = ? where id = ?',
      JSON.stringify(kept.object),
      JSON.stringify(kept.notes),
      id,
    );
  },
  remove: (id) => store.run('delete from resources where id = ?', id),
});
