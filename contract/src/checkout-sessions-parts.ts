// Words and inputs that several rows of a checkout share. Contract §3.

import { Type } from 'typebox';
import { input, text, uuid } from './schema.ts';

export const sessionStatuses = [
  'unclaimed',
  'open',
  'requires_action',
  'processing',
  'authorized',
  'completed',
  'canceled',
  'expired',
] as const;
export type SessionStatus = (typeof sessionStatuses)[number];

export const attemptResults = [
  'PENDING',
  'REQUIRES_ACTION',
  'PROCESSING',
  'AUTHORIZED',
  'SUCCEEDED',
  'DECLINED',
  'CANCELED',
  'ERROR',
  'UNKNOWN',
] as const;
export type AttemptResult = (typeof attemptResults)[number];

/** What to tell the buyer after a decline. Contract §3. */
export const advices = ['try_again_later', 'confirm_card_data', 'do_not_try_again'] as const;
export type Advice = (typeof advices)[number];

/** Buyer identity: proves nothing by itself. Contract §3, Buyer. */
export const AccountData = input({
  userId: uuid(),
  email: text(320, { format: 'email' }),
});

export const SessionIdShort = Type.Object({
  sessionId: uuid({ 'x-code': 'checkout_session_not_found' }),
});
