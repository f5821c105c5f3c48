// The provider's notices. Their signature is checked here, because importing the SDK for it costs
// time.
// The scheme is `t=<unix>,v1=<hex HMAC-SHA256 of "<t>.<raw body>">`.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type Stripe from 'stripe';
import type { Notice, NoticeFault, ReceivedNotice } from '../../engine/ports.ts';
import { translateNotice } from './translate.ts';

const toleranceSeconds = 300;
const mostHeader = 1024;

/**
 * Returns the notice when it is genuine: signed with the secret, at most 300 s old or early by
 * `nowMs`, for this account, with its object in full. Otherwise returns what is wrong with it.
 */
export function parseCardNotice(
  gateway: { readonly accountId: string },
  received: ReceivedNotice,
  nowMs: number,
): Notice | NoticeFault {
  const { rawBody, headers, secret } = received;
  const signature = headers['stripe-signature'];
  if (typeof signature !== 'string' || signature.length > mostHeader) return 'wrong_secret';
  const parts = signature.split(',').map((part) => part.trim().split('=', 2));
  const times = parts.filter(([name]) => name === 't');
  const seconds = times[0]?.[1] ?? '';
  if (times.length !== 1 || !/^\d{1,11}$/.test(seconds)) return 'wrong_secret';
  const expected = createHmac('sha256', secret).update(`${seconds}.`).update(rawBody).digest();
  const isSigned = parts.some(
    ([name, value = '']) =>
      name === 'v1' &&
      /^[0-9a-f]{64}$/.test(value) &&
      timingSafeEqual(Buffer.from(value, 'hex'), expected),
  );
  if (!isSigned) return 'wrong_secret';
  if (Math.abs(nowMs / 1000 - Number(seconds)) > toleranceSeconds) return 'old_timestamp';
  return parse(rawBody, gateway.accountId);
}

/** The `object` of an event that only names its object. */
const thinObject = 'v2.core.event';

function parse(rawBody: Buffer, accountId: string): Notice | NoticeFault {
  try {
    const event = JSON.parse(rawBody.toString('utf8')) as Stripe.Event | { object: string };
    if (event.object === thinObject) return 'thin_event';
    const full = event as Stripe.Event;
    if (full.account && full.account !== accountId) return 'other_account';
    return readEvent(full) ?? 'not_understood';
  } catch {
    return 'not_understood';
  }
}

/** Unix seconds of the year 9999: later instants cannot be stored. */
const latest = 253_402_300_799;

/** Ids and types in the provider's form; anything else could not be stored or shown. */
const isName = (value: unknown): value is string =>
  typeof value === 'string' && /^[\w.:-]{1,255}$/.test(value);

const isNameOrNone = (value: unknown): boolean =>
  value === undefined || value === null || isName(value);

type NamedObject = {
  readonly id?: unknown;
  readonly object?: unknown;
  readonly payment_intent?: unknown;
};

/** Returns null unless the event has the provider's form; the SDK's types only promise the shape. */
export function readEvent(event: Stripe.Event): Notice | null {
  try {
    if (event.object !== 'event' || !isName(event.id) || !isName(event.type)) return null;
    if (!Number.isInteger(event.created) || event.created < 0 || event.created > latest)
      return null;
    if (typeof event.livemode !== 'boolean') return null;
    const { id, object, payment_intent: intent } = event.data.object as NamedObject;
    // An expanded intent is not an id, and is not read.
    if (![id, object, typeof intent === 'string' ? intent : null].every(isNameOrNone)) return null;
    return translateNotice(event);
  } catch {
    return null;
  }
}
