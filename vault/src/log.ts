// What the vault logs: an allow-list of fields, and as the last safeguard a filter over the finished line
// that removes anything that looks like a card number.

import { escapeControls } from '@svc/contract/servers/plain-text';
import { redactCardNumbers } from '@svc/contract/vault/card-number';

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

/** Returns the line without what could be a card number. */
export const redact = (line: string): string => redactCardNumbers(line, () => '[redacted]');

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
