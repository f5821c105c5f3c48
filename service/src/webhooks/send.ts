// One delivery attempt over the wire: no redirects, no proxies, no cookies, no connection shared
// between endpoints, a bounded time and a bounded answer. Contract §7, Delivery. Decision 0072.
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { webhookHeaders } from '../domain/webhook-headers.ts';
import { longestSendMs } from '../domain/webhook-schedule.ts';
import type { Ports, WebhookAnswer, WebhookSend } from '../operations/ports.ts';
import { excerptOf, retryAfterSeconds } from './answer.ts';
import {
  type Connection,
  type Connections,
  keepConnections,
  maxAnswerBytes,
  openConnection,
} from './connections.ts';
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

/** The port that sends webhooks. Throws at once on a network that cannot be read. */
export function webhookSender(settings: WebhookSettings): Ports['sendWebhook'] {
  const sender = {
    rules: readRules(settings),
    connections: keepConnections(),
    connectMs: settings.connectMs ?? 5000,
    totalMs: settings.totalMs ?? longestSendMs,
  };
  return async (call) => {
    const startedAt = performance.now();
    const answer = await attempt(sender, call, startedAt);
    return { ...answer, durationMs: Math.round(performance.now() - startedAt) };
  };
}

type Answer = Omit<WebhookAnswer, 'durationMs'>;

const noAnswer = (error: string): Answer => ({
  status: null,
  error,
  excerpt: null,
  retryAfterSeconds: null,
});

async function attempt(sender: Sender, call: WebhookSend, startedAt: number): Promise<Answer> {
  const leftMs = (ms: number) => ms - (performance.now() - startedAt);
  const key = call.connection && `${call.connection} ${call.url}`;
  try {
    const kept = key ? sender.connections.take(key) : undefined;
    if (kept) {
      try {
        return await post(kept, { sender, call, key, totalMs: leftMs(sender.totalMs) });
      } catch (error) {
        // The receiver closed it before it read this request, as it may: no word on the receiver.
        if (!isReset(error)) throw error;
      }
    }
    const target = await withinTime(findTarget(call.url, sender.rules), leftMs(sender.connectMs));
    const connection = openConnection(target, leftMs(sender.connectMs));
    return await post(connection, { sender, call, key, totalMs: leftMs(sender.totalMs) });
  } catch (error) {
    return noAnswer(error instanceof TargetRefused ? error.word : wordFor(error));
  }
}

async function withinTime<T>(work: Promise<T>, ms: number): Promise<T> {
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

type Posting = {
  readonly sender: Sender;
  readonly call: WebhookSend;
  /** Absent: the connection is closed after its answer. */
  readonly key: string | undefined;
  readonly totalMs: number;
};

/** Rejects when no status line came. With one, the status is the answer, however the body ends. */
function post(connection: Connection, { sender, call, key, totalMs }: Posting): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const chunks: Buffer[] = [];
  let size = 0;
  let status = 0;
  let headers: IncomingHttpHeaders = {};
  let isOver = false;
  const finish = (error: Error | undefined, isKept: boolean) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    if (isKept && key) sender.connections.keep(key, connection);
    else void connection.client.destroy().catch(() => undefined);
    if (status === 0) return reject(error ?? new Error('connection_reset'));
    resolve(answerFrom({ status, headers, now: call.now }, Buffer.concat(chunks)));
  };
  const timer = setTimeout(() => finish(new Error('timeout'), false), totalMs);
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: () => undefined,
    onResponseStart(_, statusCode, received) {
      if (statusCode < 200) return;
      status = statusCode;
      headers = received;
    },
    onResponseData(_, chunk) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= maxAnswerBytes) finish(undefined, false);
    },
    onResponseEnd: () => finish(undefined, true),
    onResponseError: (_, error) => finish(error, false),
  };
  try {
    connection.client.dispatch(requestOf(call, connection, key === undefined), handler);
  } catch (error) {
    finish(error as Error, false);
  }
  return promise;
}

function requestOf(
  call: WebhookSend,
  { path }: Connection,
  isLast: boolean,
): Dispatcher.DispatchOptions {
  const body = Buffer.from(call.body);
  return {
    method: 'POST',
    path,
    headers: {
      ...webhookHeaders(call.redelivery ?? 0),
      ...signatureHeaders({ ...call, body }),
    },
    body,
    reset: isLast,
  };
}

type Head = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly now: Date;
};

function answerFrom({ status, headers, now }: Head, body: Buffer): Answer {
  return {
    status,
    error: errorOf(status),
    excerpt: excerptOf(body.subarray(0, maxAnswerBytes)),
    retryAfterSeconds: retryAfterSeconds(headers, now),
  };
}

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return 'redirect_refused';
  return status === 410 ? 'gone' : 'not_2xx';
}

const ownWords = new Set(['connect_timeout', 'timeout']);

/** Our own short word for a failed connection; the system's text may name things inside. */
function wordFor(error: unknown): string {
  const { code = '', message = '', name } = error as NodeJS.ErrnoException;
  if (ownWords.has(message)) return message;
  if (code === 'ECONNREFUSED') return 'connection_refused';
  if (name === 'HTTPParserError' || message === 'bad upgrade') return 'bad_answer';
  if (isReset(error)) return 'connection_reset';
  if (code === 'ETIMEDOUT') return 'connect_timeout';
  if (/^E(HOST|NET)(UNREACH|DOWN)$|^EADDRNOTAVAIL$/.test(code)) return 'unreachable';
  if (/^UND_ERR_(HEADERS_OVERFLOW|RES)/.test(code)) return 'bad_answer';
  if (/TLS|SSL|CERT|SIGNATURE|ISSUER|SELF_SIGNED|EPROTO|CRL/.test(code)) return 'tls_error';
  return 'connection_failed';
}

/** Closed by the other side without an answer. */
function isReset(error: unknown): boolean {
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  return /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(code) || message === 'connection_reset';
}
