// One delivery attempt over the wire: no redirects, no proxies, no cookies, no connection shared
// between endpoints, a bounded time and a bounded answer. Contract §7, Delivery.
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Ports, WebhookAnswer, WebhookSend } from '../operations/ports.ts';
import { parseNetwork } from './address.ts';
import { excerptOf, retryAfterSeconds } from './answer.ts';
import { signatureHeaders } from './sign.ts';
import {
  findTarget,
  type Pinned,
  type Resolve,
  resolveName,
  type Target,
  TargetRefused,
  type TargetRules,
} from './target.ts';

export type WebhookSettings = {
  /** CIDR networks that may be written to though they are not public, over plain http as well. */
  readonly allow: readonly string[];
  /** CIDR networks that are never written to: where this service itself listens. */
  readonly deny?: readonly string[];
  readonly resolve?: Resolve;
  readonly connectMs?: number;
  readonly totalMs?: number;
};

type Limits = { readonly connectMs: number; readonly totalMs: number };

const maxAnswerBytes = 16 * 1024;

/** The port that sends webhooks. Throws at once on a network that cannot be read. */
export function webhookSender(settings: WebhookSettings): Ports['sendWebhook'] {
  const rules: TargetRules = {
    allow: settings.allow.map(parseNetwork),
    deny: (settings.deny ?? []).map(parseNetwork),
    resolve: settings.resolve ?? resolveName,
  };
  const limits = { connectMs: settings.connectMs ?? 5000, totalMs: settings.totalMs ?? 15_000 };
  return async (call) => {
    const startedAt = performance.now();
    const answer = await attempt(call, rules, limits);
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

async function attempt(call: WebhookSend, rules: TargetRules, limits: Limits): Promise<Answer> {
  const startedAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('connect_timeout')), limits.connectMs);
  });
  try {
    const target = await Promise.race([findTarget(call.url, rules), tooLate]);
    clearTimeout(timer);
    const spentMs = performance.now() - startedAt;
    return await post(target, call, {
      connectMs: limits.connectMs - spentMs,
      totalMs: limits.totalMs - spentMs,
    });
  } catch (error) {
    return noAnswer(error instanceof TargetRefused ? error.word : wordFor(error));
  } finally {
    clearTimeout(timer);
  }
}

/** Rejects when no status line came. With one, the status is the answer, however the body ends. */
function post(target: Target, call: WebhookSend, limits: Limits): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = open(target, call);
    const isSecure = target.url.protocol === 'https:';
    const connecting = setTimeout(() => fail(new Error('connect_timeout')), limits.connectMs);
    const whole = setTimeout(() => fail(new Error('timeout')), limits.totalMs);
    const close = () => {
      clearTimeout(connecting);
      clearTimeout(whole);
      request.destroy();
    };
    let fail = (error: Error) => {
      close();
      reject(error);
    };
    request.on('socket', (socket) =>
      socket.once(isSecure ? 'secureConnect' : 'connect', () => clearTimeout(connecting)),
    );
    request.on('error', (error) => fail(error));
    request.on('close', () => fail(new Error('connection_reset')));
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const finish = () => {
        close();
        resolve(answerFrom(response, Buffer.concat(chunks).subarray(0, maxAnswerBytes), call.now));
      };
      fail = finish;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size >= maxAnswerBytes) finish();
      });
      response.on('error', finish);
      response.on('end', finish);
    });
    request.end(call.body);
  });
}

type ConnectOptions = https.RequestOptions & {
  autoSelectFamily: boolean;
  autoSelectFamilyAttemptTimeout: number;
};

function open({ url, addresses }: Target, call: WebhookSend): http.ClientRequest {
  const options: ConnectOptions = {
    method: 'POST',
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port || (url.protocol === 'https:' ? 443 : 80),
    path: url.pathname + url.search,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(call.body),
      'user-agent': 'Svc-Webhooks/1',
      ...signatureHeaders(call),
    },
    lookup: pinnedLookup(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1000,
    maxHeaderSize: maxAnswerBytes,
  };
  if (url.protocol === 'http:') {
    return http.request({ ...options, agent: new http.Agent({ keepAlive: false }) });
  }
  const agent = new https.Agent({ keepAlive: false, maxCachedSessions: 0 });
  return https.request({ ...options, agent, minVersion: 'TLSv1.2', rejectUnauthorized: true });
}

/** Answers with the judged addresses and never asks again. */
export function pinnedLookup(addresses: readonly Pinned[]): LookupFunction {
  return (_hostname, options, answer) => {
    const [first] = addresses;
    if (options.all)
      answer(
        null,
        addresses.map((pinned) => ({ ...pinned })),
      );
    else answer(null, first?.address ?? '', first?.family);
  };
}

function answerFrom(response: http.IncomingMessage, body: Buffer, now: Date): Answer {
  const status = response.statusCode ?? 0;
  return {
    status,
    error: errorOf(status),
    excerpt: excerptOf(body),
    retryAfterSeconds: retryAfterSeconds(response.headers, now),
  };
}

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return 'redirect_refused';
  return status === 410 ? 'gone' : 'not_2xx';
}

const ownWords = new Set(['connect_timeout', 'timeout', 'connection_reset']);

/** Our own short word for a failed connection; the system's text may name things inside. */
function wordFor(error: unknown): string {
  const { code = '', message = '' } = error as NodeJS.ErrnoException;
  if (ownWords.has(message)) return message;
  if (code === 'ECONNREFUSED') return 'connection_refused';
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'connection_reset';
  if (code === 'ETIMEDOUT') return 'connect_timeout';
  if (/^E(HOST|NET)(UNREACH|DOWN)$|^EADDRNOTAVAIL$/.test(code)) return 'unreachable';
  if (/^HPE_/.test(code)) return 'bad_answer';
  if (/TLS|SSL|CERT|SIGNATURE|ISSUER|SELF_SIGNED|EPROTO|CRL/.test(code)) return 'tls_error';
  return 'connection_failed';
}
