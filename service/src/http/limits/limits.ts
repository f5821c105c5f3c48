// Rate limits of contract §10: token buckets in this process. What protects cards, credentials and merchants is
// counted with the other processes: share.ts. The rest protects the process itself, and each counts for itself.
// Calls that pay a session are counted with the session: domain/people/attempt-limits.ts.

import { type ShareTakes, TakeLedger } from './share.ts';

export type LimitResult = {
  readonly isAllowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until one more is allowed; 0 while some remain. */
  readonly retryAfterSeconds: number;
};

type Bucket = { tokens: number; atMs: number };

export type BucketSettings = {
  /** The most that may be taken at once. */
  readonly burst: number;
  /** How many are added over `windowMs`. */
  readonly refill: number;
  readonly windowMs: number;
};

/** Token buckets by key. `nowMs` never runs backwards. */
export class Buckets {
  readonly #settings: BucketSettings;
  readonly #nowMs: () => number;
  readonly #buckets = new Map<string, Bucket>();
  readonly #maxKeys: number;

  constructor(settings: BucketSettings, nowMs: () => number, maxKeys = 50_000) {
    this.#settings = settings;
    this.#nowMs = nowMs;
    this.#maxKeys = maxKeys;
  }

  take(key: string): LimitResult {
    const { burst } = this.#settings;
    const bucket = this.#refilled(key);
    const isAllowed = bucket.tokens >= 1;
    if (isAllowed) bucket.tokens -= 1;
    return {
      isAllowed,
      limit: burst,
      remaining: Math.floor(bucket.tokens),
      retryAfterSeconds: isAllowed ? 0 : this.#secondsToOne(bucket),
    };
  }

  /** Gives back a token that must not count. */
  giveBack(key: string): void {
    const bucket = this.#refilled(key);
    bucket.tokens = Math.min(this.#settings.burst, bucket.tokens + 1);
  }

  /** Sets the number of tokens left, as counted over all processes. */
  set(key: string, tokens: number): void {
    this.#refilled(key).tokens = Math.min(this.#settings.burst, tokens);
  }

  #refilled(key: string): Bucket {
    const { burst, refill, windowMs } = this.#settings;
    const nowMs = this.#nowMs();
    const known = this.#buckets.get(key);
    if (!known) {
      if (this.#buckets.size >= this.#maxKeys) this.#forgetFull(nowMs);
      const fresh = { tokens: burst, atMs: nowMs };
      this.#buckets.set(key, fresh);
      return fresh;
    }
    known.tokens = Math.min(burst, known.tokens + ((nowMs - known.atMs) * refill) / windowMs);
    known.atMs = nowMs;
    return known;
  }

  #secondsToOne(bucket: Bucket): number {
    const { refill, windowMs } = this.#settings;
    return Math.max(1, Math.ceil(((1 - bucket.tokens) * windowMs) / refill / 1000));
  }

  /** Drops buckets that would be full by now; when too many remain, the oldest half. */
  #forgetFull(nowMs: number): void {
    const { burst, refill, windowMs } = this.#settings;
    for (const [key, { tokens, atMs }] of this.#buckets) {
      if (tokens + ((nowMs - atMs) * refill) / windowMs >= burst) this.#buckets.delete(key);
    }
    if (this.#buckets.size < this.#maxKeys) return;
    let surplus = this.#maxKeys / 2;
    for (const key of this.#buckets.keys()) {
      if (surplus-- <= 0) break;
      this.#buckets.delete(key);
    }
  }
}

/** Counts how many are open at once, by key. */
export class OpenCounts {
  readonly most: number;
  readonly #open = new Map<string, number>();

  constructor(most: number) {
    this.most = most;
  }

  /** Returns false when one more would be too many; otherwise it counts until it is closed. */
  open(key: string): boolean {
    const count = this.#open.get(key) ?? 0;
    if (count >= this.most) return false;
    this.#open.set(key, count + 1);
    return true;
  }

  close(key: string): void {
    const left = (this.#open.get(key) ?? 0) - 1;
    if (left > 0) this.#open.set(key, left);
    else this.#open.delete(key);
  }
}

/** The limits of contract §10, in its units; per address also reliability §5.10. */
export type LimitSettings = {
  readonly clientPerSecond: number;
  readonly moneyPerSecond: number;
  readonly moneyBurst: number;
  readonly sessionPerMinute: number;
  readonly sessionReadsPerMinute: number;
  readonly processPerMinute: number;
  readonly processPerHour: number;
  readonly processPauseMinutes: number;
  readonly sessionDeclines: number;
  readonly setupsPerHour: number;
  readonly tokensPerHour: number;
  readonly processPerAddressHour: number;
  readonly openPerAddress: number;
  readonly pagesPerMinute: number;
  readonly sessionCreatePerMinute: number;
  readonly wrongSessionPerMinute: number;
  readonly failedBasicPerMinute: number;
  readonly signInPerMinute: number;
  readonly personPerMinute: number;
};

export const contractLimits: LimitSettings = {
  clientPerSecond: 100,
  moneyPerSecond: 50,
  moneyBurst: 100,
  sessionPerMinute: 60,
  sessionReadsPerMinute: 240,
  processPerMinute: 6,
  processPerHour: 20,
  processPauseMinutes: 30,
  sessionDeclines: 5,
  setupsPerHour: 10,
  tokensPerHour: 60,
  processPerAddressHour: 30,
  openPerAddress: 200,
  pagesPerMinute: 1200,
  sessionCreatePerMinute: 120,
  wrongSessionPerMinute: 10,
  failedBasicPerMinute: 20,
  signInPerMinute: 60,
  personPerMinute: 300,
};

type LimitBucket = { take(key: string): LimitResult; giveBack(key: string): void };
type Opener = Pick<OpenCounts, 'open' | 'close' | 'most'>;
export type LimitName =
  | 'client'
  | 'money'
  | 'session'
  | 'sessionRead'
  | 'sessionCreate'
  | 'wrongSession'
  | 'failedBasic'
  | 'signIn'
  | 'processAddress'
  | 'pages'
  | 'person';
export type Limits = Readonly<Record<LimitName, LimitBucket>> & {
  /** The address to which an attempt of a session was counted. */
  readonly attempts: AttemptPlaces;
  readonly openAddress: Opener;
};

type LimitsOptions = {
  readonly nowMs: () => number;
  /** Absent where time is a test's. */
  readonly share?: ShareTakes | undefined;
  readonly onFault?: (error: unknown) => void;
};

/** Opens the limiters of one process; null switches all of them off. */
export function openLimits(
  settings: LimitSettings | null,
  { nowMs, share, onFault = () => undefined }: LimitsOptions,
): Limits {
  const limitPer =
    (windowMs: number) =>
    (refill: number, burst = refill) =>
      new Buckets({ burst, refill, windowMs }, nowMs);
  const ledger = share && new TakeLedger(share, onFault);
  const shared = (name: LimitName, refill: number, windowMs: number): LimitBucket => {
    const bucket = limitPer(windowMs)(refill);
    return (
      ledger?.share(bucket, { name, burst: refill, perSecond: (refill * 1000) / windowMs }) ??
      bucket
    );
  };
  const perSecond = limitPer(1000);
  const perMinute = limitPer(60_000);
  if (!settings) return offLimits;
  return {
    client: perSecond(settings.clientPerSecond),
    money: perSecond(settings.moneyPerSecond, settings.moneyBurst),
    session: perMinute(settings.sessionPerMinute),
    sessionRead: perMinute(settings.sessionReadsPerMinute),
    processAddress: shared('processAddress', settings.processPerAddressHour, 3_600_000),
    attempts: new AttemptPlaces(),
    openAddress: new OpenCounts(settings.openPerAddress),
    pages: perMinute(settings.pagesPerMinute),
    sessionCreate: shared('sessionCreate', settings.sessionCreatePerMinute, 60_000),
    wrongSession: shared('wrongSession', settings.wrongSessionPerMinute, 60_000),
    failedBasic: shared('failedBasic', settings.failedBasicPerMinute, 60_000),
    signIn: shared('signIn', settings.signInPerMinute, 60_000),
    person: perMinute(settings.personPerMinute),
  };
}

/**
 * Remembers, by session, the address whose budget an attempt used: a payment that succeeds gives
 * its attempt back once, whichever call reports the success.
 */
export class AttemptPlaces {
  readonly #addresses = new Map<string, string>();
  readonly #maxKeys: number;

  constructor(maxKeys = 50_000) {
    this.#maxKeys = maxKeys;
  }

  keep(session: string, address: string): void {
    this.#addresses.delete(session);
    this.#addresses.set(session, address);
    const [oldest] = this.#addresses.size > this.#maxKeys ? this.#addresses.keys() : [];
    if (oldest !== undefined) this.#addresses.delete(oldest);
  }

  /** Returns and removes the address that the newest attempt was counted to. */
  take(session: string): string | undefined {
    const address = this.#addresses.get(session);
    this.#addresses.delete(session);
    return address;
  }
}

const allow: LimitBucket = {
  take: () => ({ isAllowed: true, limit: 0, remaining: 0, retryAfterSeconds: 0 }),
  giveBack: () => undefined,
};
const offLimits: Limits = {
  attempts: new AttemptPlaces(0),
  client: allow,
  money: allow,
  session: allow,
  sessionRead: allow,
  processAddress: allow,
  openAddress: { most: 0, open: () => true, close: () => undefined },
  pages: allow,
  sessionCreate: allow,
  wrongSession: allow,
  failedBasic: allow,
  signIn: allow,
  person: allow,
};
