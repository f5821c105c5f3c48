import type { Ports } from '../../engine/ports.ts';
import type { Output } from './progress.ts';

/** An error that the person can correct: it is printed as one line, and the command exits with 2. */
export class CommandError extends Error {}

/** What every command gets. */
export type Surroundings = {
  readonly out: Output;
  readonly err: Output;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Returns a message for an error that a person can correct; undefined for a bug. */
  describeError(error: unknown): string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * Sends a webhook as deliveries are sent, but to any address that the person names, private
   * networks too.
   */
  readonly sendWebhook: Ports['sendWebhook'];
  /** Creates API tokens, which no API token may do; null when no database is configured. */
  readonly tokens: TokenMaker | null;
};

export type TokenMaker = {
  /** Creates a token of the member with this address and returns its id. Throws Trouble. */
  create(of: {
    readonly clientId: string;
    readonly email: string;
    readonly name: string;
  }): Promise<string>;
  revoke(id: string): Promise<void>;
};

/**
 * Adds the service's own database and keys; the entry point opens them, because only it knows the
 * settings.
 */
export type OperatorSurroundings = Surroundings & {
  /** Returns the database URL from the flag or the settings. Throws errors that `describeError` explains. */
  databaseUrl(given: string | undefined): string;
  /** Applies the migrations as the owner of the tables, whom the flag or the settings name. */
  migrate(given: string | undefined): Promise<void>;
  /** The vault's database, where the settings name it. */
  vaultDatabaseUrl(): string | undefined;
  backups(given: string | undefined): Backups;
  /** Throws CommandError, with a code, where a bench would touch live data. */
  bench(given: string | undefined): Bench;
  /** Throws CommandError, with a code, for the settings of an installation with a provider's real account. */
  openBreak(): Break;
  /** Throws Trouble for a database of another mode than SVC_MODE. */
  openPorts(databaseUrl: string | undefined): OpenedPorts | Promise<OpenedPorts>;
  /** The folder of root's embedded databases; absent: not looked at. */
  readonly shelters?: string;
};

export type BackupReport = {
  readonly path: string;
  readonly bytes: number;
  /** That made it, and when. */
  readonly version: string;
  readonly madeAt: string;
  readonly server: string;
  /** Of SVC_KEY; null where the key was not known. */
  readonly keyFingerprint: string | null;
  readonly hasVault: boolean;
  /** True when this version has migrations that it lacks. */
  readonly isBehind: boolean;
  readonly tables: number;
  readonly rows: number;
};

/** Both throw CommandError, with a code, and then have changed nothing. */
export type Backups = {
  /** Writes the file, or one in the folder, after it was restored into a scratch database. */
  make(to: string, signal: AbortSignal): Promise<BackupReport>;
  /** Restores into an empty database. */
  restore(from: string, signal: AbortSignal): Promise<BackupReport>;
};

/** Purchases at one rate. */
export type BenchStep = {
  readonly rateAsked: number;
  readonly rateReached: number;
  readonly purchases: number;
  /** By status and code of the refusal. */
  readonly failed: Readonly<Record<string, number>>;
  /** Of the captures, in ms; null where none came through. */
  readonly captureMs: { readonly p50: number; readonly p95: number; readonly p99: number } | null;
  /** CPU time a purchase, in ms: null what cannot be seen from here. */
  readonly cpuMs: Readonly<
    Record<'service' | 'cardForm' | 'database' | 'provider' | 'load', number | null>
  >;
};

export type BenchRun = {
  /** What was measured on. */
  readonly about: {
    readonly server: string;
    readonly sharedBuffers: string;
    /** False where the server does not wait for its disk. */
    readonly isDurable: boolean;
    readonly hasSynchronousStandby: boolean;
    readonly cpus: number;
    readonly memoryBytes: number;
    readonly processes: number;
    readonly warmedUpBy: number;
  };
  step(rate: number, seconds: number): Promise<BenchStep>;
  /** Of all purchases since the first step; null without one. */
  growth(): Promise<{ readonly databaseBytes: number; readonly logBytes: number } | null>;
};

/**
 * Starts service, card form and stand-in of the provider on a scratch database, warms them up for so long, and ends
 * them when the work is done.
 */
export type Bench = <T>(
  given: { readonly warmUpSeconds: number; readonly signal: AbortSignal },
  work: (run: BenchRun) => Promise<T>,
) => Promise<T>;

/** One kind of trouble, and what became of the orders meanwhile. */
export type BreakScene = {
  readonly name: string;
  readonly did: string;
  readonly orders: number;
  readonly captured: number;
  readonly refunded: number;
  /** Empty where everything is right. */
  readonly problems: readonly string[];
  /** Why it could not be done here. */
  readonly skipped?: string;
};

type Total = { readonly count: number; readonly minor: number };

export type BreakReport = {
  readonly scenes: readonly BreakScene[];
  readonly sums: readonly {
    readonly currency: string;
    readonly what: 'captured' | 'refunded';
    readonly ledger: Total;
    readonly books: Total;
    readonly shop: Total;
  }[];
  readonly inDoubt: number;
  /** The operator's own commands, each with the last line that it printed. */
  readonly commands: readonly {
    readonly name: string;
    readonly code: number | null;
    readonly said: string;
  }[];
  /** Captured orders, those of which the shop was told by a webhook, and those told by two different events. */
  readonly shipped: { readonly wanted: number; readonly heard: number; readonly twice: number };
  readonly problems: readonly string[];
};

/** Brings up an installation, breaks it, and removes it. */
export type Break = (
  wish: { readonly minutes: number; readonly seed: number; readonly signal: AbortSignal },
  work: {
    opened(
      of: Readonly<
        Record<'apiUrl' | 'clientId' | 'apiToken' | 'providerUrl' | 'server', string>
      > & {
        readonly tookMs: number;
      },
    ): void;
    told(scene: BreakScene): void;
    /** The installation is there until it resolves. */
    ended(report: BreakReport): Promise<void>;
  },
) => Promise<BreakReport>;

type OpenedPorts = { readonly ports: Ports; close(): Promise<void> };

export type CommandIn<S extends Surroundings> = {
  readonly name: string;
  readonly summary: string;
  readonly help: string;
  /** Returns the exit code: 0 when all is well, 1 when something was found. */
  run(args: readonly string[], around: S): Promise<number>;
};

/** A command that only talks to a running service over HTTP. */
export type Command = CommandIn<Surroundings>;

/** A command that works on the service's own database. */
export type OperatorCommand = CommandIn<OperatorSurroundings>;

/** The exit code of a command that Ctrl-C ended, as shells define it. */
export const interruptedCode = 130;
