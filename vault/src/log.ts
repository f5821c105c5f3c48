// What the vault logs: an allow-list of fields, and as the last safeguard a filter over the finished line
// that removes anything that looks like a card number.

import { escapeControls } from '@svc/contract/servers/plain-text';
import { hasLuhnDigit } from '@svc/contract/vault/card-number';

const fields: ReadonlySet<string> = new Set([
  'requestId',
  'route',
  'status',
  'ms',
  'code',
  'providerStatus',
  'providerRequestId',
  'said',
  'error',
  'at',
  'count',
  'directive',
  'blocked',
]);

/** Returns only the fields that are known to be harmless. */
export function pickFields(entry: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => fields.has(name)));
}

// Each line begins with an instant, which never matches: its colons and its `T` break the run of digits.
const digitRuns = /\d(?:[ -]?\d){12,}/g;
const longest = 19;
const shortest = 13;

function holdsCardNumber(run: string): boolean {
  const digits = run.replace(/\D/g, '');
  for (let start = 0; start + shortest <= digits.length; start++) {
    for (let length = shortest; length <= longest; length++) {
      if (start + length > digits.length) break;
      if (hasLuhnDigit(digits.slice(start, start + length))) return true;
    }
  }
  return false;
}

/** Returns the line without any run of digits that could be a card number. */
export const redact = (line: string): string =>
  line.replace(digitRuns, (run) => (holdsCardNumber(run) ? '[redacted]' : run));

export type Sink = { write(line: string): unknown };

/** Fastify's logger options. `sink` receives finished, filtered lines. */
export const loggerOptions = (sink: Sink) => ({
  level: 'info',
  base: null,
  timestamp: () => `,"time":"${new Date().toISOString()}"`,
  formatters: {
    level: (level: string) => ({ level }),
    bindings: pickFields,
    log: pickFields,
  },
  stream: { write: (line: string) => void sink.write(escapeControls(redact(line))) },
});

/** Returns name and location of an error without its message, which may quote the request. */
export function describeError(error: unknown): { error: string; at: string } {
  if (!(error instanceof Error)) return { error: typeof error, at: '' };
  const code = (error as { code?: unknown }).code;
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  const at = frames
    .slice(0, 4)
    .map((line) => line.trim().replace(/file:\/\/.*\/(vault|node_modules)\//, '$1/'))
    .join(' < ');
  return { error: typeof code === 'string' ? `${error.name} ${code}` : error.name, at };
}
