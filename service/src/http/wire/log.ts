// The service's log: JSON lines with an allow-list of fields; of headers the user agent alone, never bodies
// or query strings. Anything that looks like a card number or a secret is removed from every line as a last
// defence, and counted: the count must stay zero.

import { escapeControls } from '@svc/contract/servers/plain-text';
import { redactCardNumbers } from '@svc/contract/vault/card-number';

/** The fields that a line may carry. */
export type LogFields = {
  readonly requestId?: string;
  readonly operation?: string | null;
  readonly route?: string;
  readonly method?: string;
  readonly status?: number;
  readonly ms?: number;
  /** The caller's address, and the beginning of what its browser or program calls itself. */
  readonly address?: string;
  readonly agent?: string;
  readonly version?: string;
  readonly mode?: string;
  /** The settings that were given, without secrets. */
  readonly settings?: string;
  readonly clientId?: string;
  readonly actorId?: string;
  readonly operationId?: string;
  readonly paymentId?: string;
  readonly kind?: string;
  readonly endpointId?: string;
  readonly eventId?: string;
  readonly worker?: string;
  readonly code?: string | null;
  readonly setting?: string;
  /** Of calls to a provider's account that wait for their turn. */
  readonly gatewayId?: string;
  readonly accountId?: string;
  readonly waiting?: number;
  readonly longestMs?: number;
  readonly refused?: number;
  readonly ratePercent?: number;
  readonly remedy?: string;
  /** For a browser's report: the policy directive that was violated, and what was blocked. */
  readonly directive?: string;
  readonly blocked?: string;
  /** The stack of a bug; never of a refusal. */
  readonly error?: string;
};

export type Log = {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
};

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Each kind of secret: a mark that it contains, and its pattern. */
const secretKinds = [
  // Tokens, signing secrets and the vault's tokens; provider keys.
  ['svc', '\\bsvc[a-z]?_[\\w+/=-]{8,}'],
  ['whsec_', '\\bwhsec_[\\w+/=-]{8,}'],
  ['k_', '\\b[sr]k_(?:live|test)_\\w+'],
  // Credentials of an Authorization header.
  ['Basic ', '\\bBasic +[\\w+/=.~-]{8,}'],
  ['Bearer ', '\\bBearer +[\\w+/=.~-]{8,}'],
  // A password inside a database URL.
  ['@', '(?<=\\w:\\/\\/[^\\s:@/]{0,100}:)[^\\s@/]+(?=@)'],
] as const;
const secrets = new RegExp(secretKinds.map(([, pattern]) => pattern).join('|'), 'g');

/** Most lines hold no mark of a secret: this check saves the patterns on them, in a fiftieth of their time. */
const mayHoldSecret = (line: string): boolean => secretKinds.some(([mark]) => line.includes(mark));

const redactedMark = '[redacted]';

let count = 0;

/** Returns how often something was removed since the start. */
export const redactionCount = (): number => count;

/** Returns the line without card numbers and secrets. */
export function redact(line: string): string {
  const cutSecret = () => {
    count += 1;
    return redactedMark;
  };
  const withoutSecrets = mayHoldSecret(line) ? line.replace(secrets, cutSecret) : line;
  return redactCardNumbers(withoutSecrets, cutSecret);
}

/** Opens a log that writes lines to `sink`. */
export function openLog(least: LogLevel, sink: { write(line: string): void }): Log {
  const logAt = (level: LogLevel) => {
    if (logLevels.indexOf(level) < logLevels.indexOf(least)) return () => undefined;
    return (msg: string, fields: LogFields = {}): void => {
      // ISO instants: the thirteen digits of an epoch time can look like a card number.
      const line = JSON.stringify({ level, time: new Date().toISOString(), ...fields, msg });
      sink.write(escapeControls(redact(`${line}\n`)));
    };
  };
  return { debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error') };
}

/**
 * Collects the lines of one turn of the event loop into one write, which costs as much as a short
 * one. Lines wait no longer than that turn; when the process exits they are written at once.
 */
export function gatherLines(stream: { write(text: string): unknown }): {
  write(line: string): void;
} {
  let waiting = '';
  const flushLines = () => {
    const text = waiting;
    waiting = '';
    if (text !== '') stream.write(text);
  };
  process.once('exit', flushLines);
  return {
    write(line) {
      if (waiting === '') setImmediate(flushLines);
      waiting += line;
    },
  };
}
