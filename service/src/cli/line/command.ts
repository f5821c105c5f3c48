import type { Ports } from '../../engine/ports.ts';
import type { Out } from './progress.ts';

/** What a person can mend: one line, and the command ends with 2. */
export class Trouble extends Error {}

/** What every command may use. */
export type Surroundings = {
  readonly out: Out;
  readonly err: Out;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** In words, for an error that a person can mend; undefined for a bug. */
  describeError(error: unknown): string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** As endpoints are written to, but to wherever the person says, private networks too. */
  readonly sendWebhook: Ports['sendWebhook'];
  /** Who makes API tokens, which no API token may do; null where no database is at hand. */
  readonly tokens: TokenMaker | null;
};

export type TokenMaker = {
  /** Answers the id of a token of the member with this address. Throws Trouble. */
  create(of: {
    readonly clientId: string;
    readonly email: string;
    readonly name: string;
  }): Promise<string>;
  revoke(id: string): Promise<void>;
};

/** With the service's own database and keys; opened by the entry, which alone knows the settings. */
export type OperatorSurroundings = Surroundings & {
  /** The database's address, from the flag or the settings. Throws what `describeError` names. */
  databaseUrl(given: string | undefined): string;
  /** Applies the migrations as the owner of the tables, whom the flag or the settings name. */
  migrate(given: string | undefined): Promise<void>;
  /** Refuses, as Trouble, a database of another mode than SVC_MODE. */
  openPorts(databaseUrl: string | undefined): Opened | Promise<Opened>;
};

type Opened = { readonly ports: Ports; close(): Promise<void> };

export type CommandIn<S extends Surroundings> = {
  readonly name: string;
  readonly summary: string;
  readonly help: string;
  /** The exit code: 0 all is well, 1 something was found. */
  run(args: readonly string[], around: S): Promise<number>;
};

/** Talks to a running service over HTTP and to nothing else. */
export type Command = CommandIn<Surroundings>;

/** Works on the service's own database. */
export type OperatorCommand = CommandIn<OperatorSurroundings>;

/** As a shell counts a command that Ctrl-C ended. */
export const interrupted = 130;
