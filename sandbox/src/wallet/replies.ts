// How a response of the wallet is sent: whole, broken, slowly, or never, as the planted fault demands.
import type { FastifyReply } from 'fastify';
import type { CallFault, Fault } from '../state/faults.ts';
import { dripBody, startRaw } from '../wire/replies.ts';

export type Answer = { status: number; body: string; original?: string };

const hugeBytes = 10 * 1024 * 1024;

type Change = (value: unknown, name: string) => unknown;

/** Returns the same text with every field replaced that `change` changes. */
const changeFields = (body: string, change: Change): string =>
  body === '' ? body : JSON.stringify(JSON.parse(body, (name, value) => change(value, name)));

const raiseLastDigit = (value: string): string =>
  value.replace(/\d(?!.*\d)/, (digit) => String((Number(digit) + 1) % 10));

/** Makes the body that is sent in place of the response's own. */
const brokenBodies: Partial<Record<CallFault, (body: string) => string>> = {
  truncated: (body) => body.slice(0, body.length >> 1),
  huge_body: (body) => `${body.slice(0, -1)},"padding":"${'x'.repeat(hugeBytes)}"}`,
  html_200: () => '<!doctype html><html><body><h1>Welcome</h1></body></html>',
  wrong_amount: (body) =>
    changeFields(body, (value, name) =>
      name === 'value' && typeof value === 'string' ? raiseLastDigit(value) : value,
    ),
  wrong_currency: (body) =>
    changeFields(body, (value, name) =>
      name === 'currency_code' ? (value === 'CHF' ? 'SEK' : 'CHF') : value,
    ),
  wrong_id: (body) =>
    changeFields(body, (value, name) =>
      name === 'id' && typeof value === 'string' ? `${value.slice(0, -4)}0000` : value,
    ),
};

const isSilent = (action: string | undefined): boolean =>
  action === 'timeout_after_commit' || action === 'drop_reply';

/** Returns whether the client receives something other than the provider's response. */
export const isBroken = (fault: Fault | undefined): boolean =>
  fault !== undefined && (isSilent(fault.action) || fault.action in brokenBodies);

/** Sends the response of a call. Calls `onSent` once its last byte was sent. */
export const reply = (
  out: FastifyReply,
  answer: Answer,
  about: { debugId: string; fault: Fault | undefined; onSent: () => void },
): FastifyReply => {
  const { fault } = about;
  if (isSilent(fault?.action)) {
    out.hijack();
    if (fault?.action === 'drop_reply') out.raw.socket?.destroy();
    return out;
  }
  out.raw.once('finish', about.onSent);
  out.header('paypal-debug-id', about.debugId);
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
  if (answer.status === 204 && !isPage) return out.code(204).send();
  return out
    .code(isPage ? 200 : answer.status)
    .type(isPage ? 'text/html' : 'application/json')
    .send(body);
};
