// How a response is sent: whole, broken, slowly, or never, as the planted fault demands.
import type { FastifyReply } from 'fastify';
import type { Core } from '../core/core.ts';
import type { CallFault, Fault } from '../state/faults.ts';

export type Answer = { status: number; body: string; original?: string };

type RequestRecord = {
  request: string;
  idempotencyKey: string | null;
  version: string;
  fault: Fault | undefined;
};

const dripPieces = 40;
const hugeBytes = 10 * 1024 * 1024;

const changeBody = (body: string, change: (object: Record<string, unknown>) => void): string => {
  const object = JSON.parse(body) as Record<string, unknown>;
  change(object);
  return JSON.stringify(object, null, 2);
};

const amounts = ['amount', 'amount_received', 'amount_capturable', 'amount_captured'];

/** Makes the body that is sent in place of the response's own. */
const brokenBodies: Partial<Record<CallFault, (body: string) => string>> = {
  truncated: (body) => body.slice(0, body.length >> 1),
  huge_body: (body) => `${body.slice(0, -1)},"padding":"${'x'.repeat(hugeBytes)}"}`,
  html_200: () => '<!doctype html><html><body><h1>Welcome</h1></body></html>',
  wrong_amount: (body) =>
    changeBody(body, (object) => {
      for (const name of amounts) {
        const value = object[name];
        if (typeof value === 'number' && value > 0) object[name] = value + 1;
      }
    }),
  wrong_currency: (body) =>
    changeBody(body, (object) => {
      if ('currency' in object) object.currency = object.currency === 'chf' ? 'sek' : 'chf';
    }),
  late_balance: (body) =>
    JSON.stringify(
      JSON.parse(body, (name, value) => (name === 'balance_transaction' ? null : value)),
    ),
  wrong_id: (body) =>
    changeBody(body, (object) => {
      if (typeof object.id === 'string') object.id = `${object.id.slice(0, -4)}0000`;
    }),
};

export const startRaw = (out: FastifyReply, status: number, bytes: Buffer): void => {
  for (const [name, value] of Object.entries(out.getHeaders())) {
    if (value !== undefined) out.raw.setHeader(name, value);
  }
  out.hijack();
  out.raw.writeHead(status, {
    'content-type': 'application/json',
    'content-length': bytes.length,
  });
};

// Each piece arrives within a reader's time limit per read; only a limit on the whole response ends it.
export const dripBody = (out: FastifyReply, bytes: Buffer, delayMs: number): void => {
  const size = Math.max(1, Math.ceil(bytes.length / dripPieces));
  let sent = 0;
  const timer = setInterval(() => {
    out.raw.write(bytes.subarray(sent, sent + size));
    sent += size;
    if (sent < bytes.length) return;
    clearInterval(timer);
    out.raw.end();
  }, delayMs / dripPieces);
  out.raw.once('close', () => clearInterval(timer));
};

const isSilent = (action: string | undefined): boolean =>
  action === 'timeout_after_commit' || action === 'drop_reply';

/** Sends the response of a call that ran or was refused. */
export const createReply =
  (core: Core, seen: RequestRecord, out: FastifyReply) =>
  (answer: Answer): FastifyReply => {
    const { fault, version } = seen;
    if (isSilent(fault?.action)) {
      out.hijack();
      if (fault?.action === 'drop_reply') out.raw.socket?.destroy();
      return out;
    }
    out.raw.once('finish', () => core.ledger.noteAnswered(seen.request));
    out.header('request-id', seen.request).header('stripe-version', version);
    if (seen.idempotencyKey) out.header('idempotency-key', seen.idempotencyKey);
    if (answer.original) {
      out.header('idempotent-replayed', 'true').header('original-request', answer.original);
    }
    // The response is remembered and a retry would receive it again: the header tells the SDK not to retry.
    if (answer.status === 500) out.header('stripe-should-retry', 'false');
    if (fault?.action === 'slow_drip' || fault?.action === 'stalled') {
      const bytes = Buffer.from(answer.body);
      startRaw(out, answer.status, bytes);
      if (fault.action === 'slow_drip') dripBody(out, bytes, fault.delayMs);
      else out.raw.write(bytes.subarray(0, bytes.length >> 1));
      return out;
    }
    const breaks = fault && brokenBodies[fault.action as CallFault];
    const body = breaks ? breaks(answer.body) : answer.body;
    const isPage = fault?.action === 'html_200';
    return out
      .code(isPage ? 200 : answer.status)
      .type(isPage ? 'text/html' : 'application/json')
      .send(body);
  };
