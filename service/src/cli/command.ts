import type { Ports } from '../operations/ports.ts';
import type { Out } from './progress.ts';

/** What a person can mend: one line, and the command ends with 2. */
export class Trouble extends Error {}

/** What a command may use; opened by the entry, which alone knows the settings. */
export type Surroundings = {
  readonly out: Out;
  readonly err: Out;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** The database's address, from the flag or the settings. Throws what `describeError` names. */
  databaseUrl(given: string | undefined): string;
  /** Applies the migrations as the owner of the tables, whom the flag or the settings name. */
  migrate(given: string | undefined): Promise<void>;
  openPorts(databaseUrl: string | undefined): { ports: Ports; close(): Promise<void> };
  /** In words, for an error that a person can mend; undefined for a bug. */
  describeError(error: unknown): string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** As endpoints are written to, but to wherever the person says, private networks too. */
  readonly sendWebhook: Ports['sendWebhook'];
};

export type Command = {
  readonly name: string;
  readonly summary: string;
  readonly help: string;
  /** The exit code: 0 all is well, 1 something was found. */
  run(args: readonly string[], around: Surroundings): Promise<number>;
};

/** As a shell counts a command that Ctrl-C ended. */
export const interrupted = 130;
