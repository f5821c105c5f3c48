// Reads a command's arguments strictly: a misspelt flag is refused by name.

import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { dateOf } from '@svc/contract/values/instants';
import { nearestName } from '../../domain/protocol/edit-distance.ts';
import { uuidPattern } from '../../domain/protocol/uuid.ts';
import type { ReportTarget } from './report.ts';

/** The arguments make no sense: one line states what would. */
export class UsageError extends Error {}

export type Flags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** Returns the flags of a command. Throws UsageError. */
export function readFlags(args: readonly string[], options: ParseArgsOptionsConfig): Flags {
  const { flags, words } = readLine(args, options);
  if (words[0] === undefined) return flags;
  throw new UsageError(`Unexpected argument '${words[0]}'`);
}

/** Every command accepts them, and the entry point reads them: folder or file whose settings apply. */
export const entryFlags = { data: { type: 'string' }, env: { type: 'string' } } as const;

/** Returns the flags, and the words between them. Throws UsageError. */
export function readLine(
  args: readonly string[],
  own: ParseArgsOptionsConfig,
): { readonly flags: Flags; readonly words: readonly string[] } {
  const options = { ...entryFlags, ...own };
  for (const arg of args) {
    const name = /^--([^=]+)/.exec(arg)?.[1];
    if (name === undefined || name in options) continue;
    const nearest = nearestName(name, Object.keys(options));
    throw new UsageError(`--${name} is no flag${nearest ? `; did you mean --${nearest}?` : ''}`);
  }
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      strict: true,
      allowPositionals: true,
    });
    // This happens with an unset shell variable: any folder would be a guess.
    if (values.data === '') throw new UsageError('--data names no folder');
    if (values.env === '') throw new UsageError('--env names no file');
    return { flags: values as Flags, words: positionals };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError((error as Error).message.split('. ')[0] ?? '');
  }
}

export const reportFlags = { json: { type: 'string' }, csv: { type: 'string' } } as const;

export function readTarget(flags: Flags): ReportTarget | null {
  const { json, csv } = flags;
  if (json !== undefined && csv !== undefined) {
    throw new UsageError('--json and --csv are both given; leave one out');
  }
  const file = json ?? csv;
  if (file === undefined) return null;
  if (typeof file !== 'string' || file === '') throw new UsageError('the report has no file name');
  return { format: json === undefined ? 'csv' : 'json', file };
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Returns `90s`, `10m`, `2h` or `7d` in milliseconds. */
export function readDuration(name: string, text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const seconds = units[unit ?? ''];
  if (!count || seconds === undefined) {
    throw new UsageError(`--${name} is a duration such as 90s, 10m, 2h or 7d: ${text}`);
  }
  return Number(count) * seconds * 1000;
}

export function readNumber(
  name: string,
  text: string,
  { min, max }: { min: number; max: number },
): number {
  const value = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new UsageError(`--${name} is a number from ${min} to ${max}: ${text}`);
}

/** Returns an id of the kind that `svc <name>s list` prints. */
export function readId(name: string, text: string | undefined): string {
  if (text !== undefined && uuidPattern.test(text)) return text.toLowerCase();
  const what = text === undefined ? 'is missing' : 'is no id';
  throw new UsageError(`--${name} ${what}: see svc ${name}s list`);
}

/** Returns a day (its beginning in UTC) or an instant with its zone. */
export function readInstant(name: string, text: string): Date {
  const date = dateOf(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00Z` : text);
  if (date) return date;
  throw new UsageError(`--${name} is a day such as 2026-05-01 or 2026-05-01T10:00:00Z: ${text}`);
}
