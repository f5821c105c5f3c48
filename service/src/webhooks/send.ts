// Sends one delivery attempt: no redirects, no proxies, no cookies, no connection shared between
// endpoints, a limited time and a limited answer. Contract §7, Delivery. docs/decisions/deliveries.md.
import { webhookHeaders } from '../domain/protocol/webhook-headers.ts';
import { longestSendMs } from '../domain/protocol/webhook-schedule.ts';
import type { Ports, WebhookAnswer, WebhookSend } from '../engine/ports.ts';
import { excerptOf, pauseAskedFor } from './answer.ts';
import { Connection } from './connection.ts';
import { type Connections, keepConnections } from './connections.ts';
import { signatureHeaders } from './sign.ts';
import {
  findTarget,
  readRules,
  TargetRefused,
  type TargetRules,
  type TargetSettings,
} from './target.ts';

export type WebhookSettings = TargetSettings & {
  readonly connectMs?: number;
  readonly totalMs?: number;
};

type Limits = { readonly connectMs: number; readonly totalMs: number };

type Sender = Limits & { readonly rules: TargetRules; readonly connections: Connections };

/** Makes the port that sends webhooks. Throws at once on a network that cannot be parsed. */
export function webhookSender(settings: WebhookSettings): Ports['sendWebhook'] {
  const sender = {
    rules: readRules(settings),
    connections: keepConnections(),
    connectMs: settings.connectMs ?? 5000,
    totalMs: settings.totalMs ?? longestSendMs,
  };
  return async (call) => {
    const startedAt = performance.now();
    const { status, error, excerpt, retryAfterSeconds } = await attempt(sender, call, startedAt);
    const durationMs = Math.round(performance.now() - startedAt);
    return { status, error, excerpt, retryAfterSeconds, durationMs };
  };
}

type ReceiverAnswer = Omit<WebhookAnswer, 'durationMs'>;

const noAnswer = (error: string): ReceiverAnswer => ({
  status: null,
  error,
  excerpt: null,
  retryAfterSeconds: null,
});

async function attempt(
  sender: Sender,
  call: WebhookSend,
  startedAt: number,
): Promise<ReceiverAnswer> {
  const { connections, rules, connectMs, totalMs } = sender;
  const leftMs = (ms: number) => ms - (performance.now() - startedAt);
  const key = call.connection && `${call.connection} ${call.url}`;
  const posting = { connections, call, key };
  try {
    const kept = key ? connections.take(key) : undefined;
    if (kept) {
      try {
        return await post(kept, { ...posting, totalMs: leftMs(totalMs) });
      } catch (error) {
        // The receiver closed the connection before it read this request, which it may do at any
        // time, so this is no failure of the receiver.
        if (!isReset(error)) throw error;
      }
    }
    const target = await withTimeLimit(findTarget(call.url, rules), leftMs(connectMs));
    const opened = new Connection(target, leftMs(connectMs));
    return await post(opened, { ...posting, totalMs: leftMs(totalMs) });
  } catch (error) {
    return noAnswer(error instanceof TargetRefused ? error.word : errorCodeFor(error));
  }
}

async function withTimeLimit<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('connect_timeout')), ms);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

type PostCall = {
  readonly connections: Connections;
  readonly call: WebhookSend;
  /** Absent: the connection is closed after its answer. */
  readonly key: string | undefined;
  readonly totalMs: number;
};

/** Rejects when no status arrives. Once the status has arrived, it is the answer, however the body ends. */
async function post(connection: Connection, posting: PostCall): Promise<ReceiverAnswer> {
  const { connections, call, key, totalMs } = posting;
  const received = await connection.exchange(
    requestOf(call, connection, key === undefined),
    totalMs,
  );
  const { status } = received;
  if (received.isKept && key) connections.keep(key, connection);
  else connection.close();
  return {
    status,
    error: errorOf(status),
    excerpt: excerptOf(received.body),
    retryAfterSeconds: pauseAskedFor(received, call.now),
  };
}

/** The whole request in one piece. Every part of its head is ours or from a parsed URL, and so is ASCII. */
function requestOf(call: WebhookSend, connection: Connection, isLast: boolean): Buffer {
  const { body } = call;
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  const usual = isLast ? 'connection: close\r\n' : 'connection: keep-alive\r\n';
  const head =
    connection.target +
    usual +
    linesOf(webhookHeaders(call.redelivery ?? 0)) +
    linesOf(signatureHeaders(call)) +
    `content-length: ${length}\r\n\r\n`;
  const request = Buffer.allocUnsafe(head.length + length);
  request.write(head, 'latin1');
  if (typeof body === 'string') request.write(body, head.length, 'utf8');
  else request.set(body, head.length);
  return request;
}

function linesOf(fields: Readonly<Record<string, string>>): string {
  let lines = '';
  for (const name in fields) lines += `${name}: ${fields[name]}\r\n`;
  return lines;
}

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return 'redirect_refused';
  return status === 410 ? 'gone' : 'not_2xx';
}

const ownWords = new Set(['connect_timeout', 'timeout', 'bad_answer']);

/** Our own short code for a failed connection; the system's message may contain internal names. */
function errorCodeFor(error: unknown): string {
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  if (ownWords.has(message)) return message;
  if (code === 'ECONNREFUSED') return 'connection_refused';
  if (isReset(error)) return 'connection_reset';
  if (code === 'ETIMEDOUT') return 'connect_timeout';
  if (/^E(HOST|NET)(UNREACH|DOWN)$|^EADDRNOTAVAIL$/.test(code)) return 'unreachable';
  if (/TLS|SSL|CERT|SIGNATURE|ISSUER|SELF_SIGNED|EPROTO|CRL/.test(code)) return 'tls_error';
  return 'connection_failed';
}

/** Whether the other side closed the connection without an answer. */
function isReset(error: unknown): boolean {
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  return /^(ECONNRESET|EPIPE)$/.test(code) || message === 'connection_reset';
}
