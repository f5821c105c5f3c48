// Display-only fields of a session. The page that built the cart stores them, so that names and prices can
// be shown before the service has resolved them. Spec: Client libraries. Contract §9.

export type DisplayProduct = {
  readonly code: string;
  /** @deprecated Ignored. */
  readonly type?: string;
  readonly name: string | null;
  /** Major units. */
  readonly totalAmount: number;
  readonly overrideAmount: number | null;
  readonly currency: string;
};

export type DisplayData = {
  readonly currency: string;
  readonly products: readonly DisplayProduct[];
};

type Entry = { readonly savedAt: number; readonly until: number; readonly data: DisplayData };

const prefix = 'svc:display:';
const shownFields = ['name', 'totalAmount', 'overrideAmount', 'currency'] as const;
const entryLimit = 20;
const defaultTtlMs = 1_800_000;
const longestTtlMs = 86_400_000;

/** Used where session storage is missing, blocked for the page, or full. */
const memory = new Map<string, string>();

/** Returns undefined where session storage is missing or blocked, or the call throws. */
function accessStorage<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(globalThis.sessionStorage);
  } catch {
    return undefined;
  }
}

function dropEntry(key: string): void {
  memory.delete(key);
  accessStorage((storage) => storage.removeItem(key));
}

const isOpen = (value: unknown, type: string): boolean => value == null || typeof value === type;

const isProduct = (product: DisplayProduct): boolean =>
  typeof product.code === 'string' &&
  [product.name, product.currency].every((value) => isOpen(value, 'string')) &&
  [product.totalAmount, product.overrideAmount].every((value) => isOpen(value, 'number'));

function read(key: string, now: number): Entry | null {
  const text = memory.get(key) ?? accessStorage((storage) => storage.getItem(key));
  if (!text) return null;
  try {
    const entry = JSON.parse(text) as Entry;
    const isWhole =
      typeof entry.until === 'number' &&
      now < entry.until &&
      entry.until <= now + longestTtlMs &&
      typeof entry.data.currency === 'string' &&
      entry.data.products.every(isProduct);
    if (isWhole) return entry;
  } catch {
    // A malformed entry is removed like an expired one.
  }
  dropEntry(key);
  return null;
}

/** Removes expired entries, and the oldest ones until one more fits. */
function makeRoom(now: number): void {
  const readAge = (key: string) => now - (read(key, now)?.savedAt ?? now);
  const kept = [...memory.keys(), ...(accessStorage(Object.keys) ?? [])].filter(
    (key) => key.startsWith(prefix) && read(key, now),
  );
  kept.sort((a, b) => readAge(b) - readAge(a));
  for (const key of kept.slice(0, 1 - entryLimit)) dropEntry(key);
}

export function clearDisplay(sessionId: string): void {
  dropEntry(prefix + sessionId);
}

type Limits = {
  readonly ttlMs?: number | undefined;
  readonly expiresAt?: string | undefined;
  readonly now: number;
};

const endTimeOf = (expiresAt: string | undefined): number =>
  expiresAt ? Date.parse(expiresAt) : Infinity;

/** Stores only the listed fields, for at most a day and never past `expiresAt`. */
export function saveDisplay(
  sessionId: string,
  { currency, products }: DisplayData,
  { ttlMs, expiresAt, now }: Limits,
): void {
  const data = {
    currency,
    products: products.map((product) =>
      Object.fromEntries(['code' as const, ...shownFields].map((name) => [name, product[name]])),
    ),
  };
  const until = Math.min(now + Math.min(ttlMs ?? defaultTtlMs, longestTtlMs), endTimeOf(expiresAt));
  const key = prefix + sessionId;
  const text = JSON.stringify({ savedAt: now, until, data });
  dropEntry(key);
  makeRoom(now);
  const isKept = accessStorage((storage) => {
    storage.setItem(key, text);
    return true;
  });
  if (!isKept) memory.set(key, text);
}

/** Returns the entry, or null when there is none or when it or its session has expired. */
export const findDisplay = (
  sessionId: string,
  { expiresAt, now }: Omit<Limits, 'ttlMs'>,
): DisplayData | null => {
  const entry = read(prefix + sessionId, now);
  return entry && endTimeOf(expiresAt) > now ? entry.data : null;
};

type PricedItem = {
  code: string | null;
  name?: string | null;
  totalAmount?: number | null;
  overrideAmount?: number | null;
  currency?: string | null;
};

/** Fills fields that the service left null or undefined; other values stay. Products match by code. */
export function fillDisplay<
  S extends { id: string; expiresAt: string; currency: string | null; products: PricedItem[] },
>(session: S, now: number): S {
  const { expiresAt } = session;
  const data = findDisplay(session.id, { expiresAt, now });
  if (!data) return session;
  return {
    ...session,
    currency: session.currency ?? data.currency,
    products: session.products.map((line) => {
      const shown = data.products.find(({ code }) => code === line.code);
      const filled = shownFields.map((name) => [name, line[name] ?? shown?.[name]]);
      return shown ? { ...line, ...Object.fromEntries(filled) } : line;
    }),
  };
}
