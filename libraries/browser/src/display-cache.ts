// Display-only fields of a session, kept by the page that built the cart, so that names and prices
// can be shown before the service has resolved them. Spec: Client libraries. Contract §9.

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
const entryLimit = 20;
const defaultTtlMs = 1_800_000;
const longestTtlMs = 86_400_000;

/** Where session storage is missing, closed to the page, or full. */
const memory = new Map<string, string>();

/** Session storage, or undefined where the browser refuses the very property. */
function storage(): Storage | undefined {
  try {
    return globalThis.sessionStorage;
  } catch {
    return undefined;
  }
}

function drop(key: string): void {
  memory.delete(key);
  storage()?.removeItem(key);
}

function read(key: string): Entry | null {
  const text = memory.get(key) ?? storage()?.getItem(key);
  if (!text) return null;
  try {
    const entry = JSON.parse(text) as Entry;
    const isWhole =
      Date.now() < entry.until &&
      typeof entry.data.currency === 'string' &&
      entry.data.products.every((product) => typeof product.code === 'string');
    if (isWhole) return entry;
  } catch {
    // Malformed: removed like an expired one.
  }
  drop(key);
  return null;
}

/** Drops the oldest entries, and every dead one, until one more fits. */
function makeRoom(): void {
  const kept = [...new Set([...memory.keys(), ...Object.keys(storage() ?? {})])]
    .filter((key) => key.startsWith(prefix))
    .flatMap((key) => ({ key, savedAt: read(key)?.savedAt ?? 0 }))
    .filter(({ savedAt }) => savedAt)
    .sort((a, b) => a.savedAt - b.savedAt);
  for (const { key } of kept.slice(0, Math.max(0, kept.length - entryLimit + 1))) drop(key);
}

export function clearDisplay(sessionId: string): void {
  drop(prefix + sessionId);
}

/** Keeps the allow-listed fields only, for at most a day and never past `expiresAt`. */
export function saveDisplay(
  sessionId: string,
  { currency, products }: DisplayData,
  limits: { readonly ttlMs?: number | undefined; readonly expiresAt?: string | undefined },
): void {
  const now = Date.now();
  const data: DisplayData = {
    currency,
    products: products.map(({ code, name, totalAmount, overrideAmount, currency: own }) => ({
      code,
      name,
      totalAmount,
      overrideAmount,
      currency: own,
    })),
  };
  const ttlMs = Math.min(limits.ttlMs ?? defaultTtlMs, longestTtlMs);
  const until = Math.min(now + ttlMs, limits.expiresAt ? Date.parse(limits.expiresAt) : Infinity);
  const key = prefix + sessionId;
  const text = JSON.stringify({ savedAt: now, until, data });
  drop(key);
  makeRoom();
  try {
    const kept = storage();
    if (kept) kept.setItem(key, text);
    else memory.set(key, text);
  } catch {
    memory.set(key, text);
  }
}

/** The entry, or null when there is none or its time is over. */
export const findDisplay = (sessionId: string): DisplayData | null =>
  read(prefix + sessionId)?.data ?? null;

type Priced = {
  code: string;
  name?: string | null;
  totalAmount?: number | null;
  overrideAmount?: number | null;
  currency?: string | null;
};

/** Fills what the service left null or undefined; what it said stands. Products match by code. */
export function fillDisplay<
  S extends { id: string; expiresAt: string; currency: string | null; products: Priced[] },
>(session: S): S {
  const data = Date.parse(session.expiresAt) > Date.now() ? findDisplay(session.id) : null;
  if (!data) return session;
  return {
    ...session,
    currency: session.currency ?? data.currency,
    products: session.products.map((line) => {
      const shown = data.products.find(({ code }) => code === line.code);
      if (!shown) return line;
      return {
        ...line,
        name: line.name ?? shown.name,
        totalAmount: line.totalAmount ?? shown.totalAmount,
        overrideAmount: line.overrideAmount ?? shown.overrideAmount,
        currency: line.currency ?? shown.currency,
      };
    }),
  };
}
