// Wallets saved for later: a buyer agrees once (a setup token), and the agreement is charged again
// (a payment token). No money moves here.

import { createHash } from 'node:crypto';
import { configurationCode } from '../../domain/protocol/key-refused.ts';
import type {
  CreateResult,
  CreateSetupTokenCall,
  FindResult,
  PaymentToken,
  SetupToken,
} from './port.ts';
import { fieldsOf, readPaymentToken, readSetupToken } from './translate.ts';
import {
  isNotAccepted,
  type Request,
  read,
  sendAgain,
  type Wire,
  type WireAnswer,
} from './wire.ts';

const setups = '/v3/vault/setup-tokens';
const tokens = '/v3/vault/payment-tokens';

/**
 * Returns the user's id in the provider's 22 characters: the bytes of a UUID, or a digest of
 * anything else.
 */
export function customerIdOf(userId: string): string {
  const hex = userId.replaceAll('-', '');
  const isUuid = /^[0-9a-f]{32}$/i.test(hex);
  const bytes = isUuid ? Buffer.from(hex, 'hex') : createHash('sha256').update(userId).digest();
  return bytes.subarray(0, 16).toString('base64url');
}

async function createAtWallet<T>(
  wire: Wire,
  request: Request,
  parse: (value: unknown) => T | null,
): Promise<CreateResult<T>> {
  const { answer } = await sendAgain(wire, request);
  const { trace } = answer;
  if (answer.kind === 'ok') {
    const value = parse(answer.value);
    return value === null
      ? { kind: 'in_doubt', cause: 'answer_mismatch', trace }
      : { kind: 'made', value, trace };
  }
  if (answer.kind === 'lost') {
    return answer.isNeverSent
      ? { kind: 'refused', code: 'unavailable', trace }
      : { kind: 'in_doubt', cause: 'no_answer', trace };
  }
  if (answer.status >= 500 || isNotAccepted(answer)) {
    return { kind: 'in_doubt', cause: 'not_accepted_yet', trace };
  }
  const isOurs = answer.status !== 422;
  return {
    kind: 'refused',
    code: isOurs ? configurationCode(answer.status) : codeOfAnswer(answer),
    trace,
  };
}

const codeOfAnswer = (answer: Extract<WireAnswer, { kind: 'error' }>): string =>
  answer.issue?.toLowerCase() ?? 'refused';

async function find<T>(
  wire: Wire,
  path: string,
  parse: (value: unknown) => T | null,
): Promise<FindResult<T>> {
  const answer = await read(wire, path);
  const { trace } = answer;
  if (answer.kind === 'error' && answer.status === 404) return { kind: 'missing', trace };
  if (answer.kind !== 'ok') return { kind: 'in_doubt', cause: 'read_failed', trace };
  const value = parse(answer.value);
  return value === null
    ? { kind: 'in_doubt', cause: 'answer_mismatch', trace }
    : { kind: 'found', value, trace };
}

export const createSetupToken = (
  wire: Wire,
  call: CreateSetupTokenCall,
): Promise<CreateResult<SetupToken>> =>
  createAtWallet(
    wire,
    {
      method: 'POST',
      path: setups,
      key: call.key,
      body: {
        customer: { id: customerIdOf(call.userId) },
        payment_source: {
          paypal: {
            usage_type: 'MERCHANT',
            experience_context: {
              shipping_preference: 'NO_SHIPPING',
              return_url: call.returnUrl,
              cancel_url: call.cancelUrl,
            },
          },
        },
      },
    },
    readSetupToken,
  );

export const findSetupToken = (wire: Wire, id: string): Promise<FindResult<SetupToken>> =>
  find(wire, `${setups}/${encodeURIComponent(id)}`, (value) => {
    const token = readSetupToken(value);
    return token?.setupTokenId === id ? token : null;
  });

export const createPaymentToken = (
  wire: Wire,
  call: { key: string; setupTokenId: string },
): Promise<CreateResult<PaymentToken>> =>
  createAtWallet(
    wire,
    {
      method: 'POST',
      path: tokens,
      key: call.key,
      body: { payment_source: { token: { id: call.setupTokenId, type: 'SETUP_TOKEN' } } },
    },
    readPaymentToken,
  );

export const findPaymentToken = (wire: Wire, id: string): Promise<FindResult<PaymentToken>> =>
  find(wire, `${tokens}/${encodeURIComponent(id)}`, (value) => {
    const token = readPaymentToken(value);
    return token?.paymentTokenId === id ? token : null;
  });

/** Returns the newest twenty at most: the provider puts no more on one page. */
export const listPaymentTokens = (
  wire: Wire,
  customerId: string,
): Promise<FindResult<readonly PaymentToken[]>> =>
  find(wire, `${tokens}?customer_id=${encodeURIComponent(customerId)}&page_size=20`, (value) => {
    const { payment_tokens: listed } = fieldsOf(value);
    if (!Array.isArray(listed)) return null;
    const read = (listed as unknown[]).map(readPaymentToken);
    return read.includes(null) ? null : (read as PaymentToken[]);
  });

export type Deletion = {
  readonly made: CreateResult<null>;
  /** At least one send had no answer, and may still take effect. */
  readonly mayStillArrive: boolean;
};

export async function deletePaymentToken(wire: Wire, id: string): Promise<CreateResult<null>> {
  return (await sendDeletion(wire, id)).made;
}

export async function sendDeletion(wire: Wire, id: string): Promise<Deletion> {
  const path = `${tokens}/${encodeURIComponent(id)}`;
  const { answer, hasLostOne } = await sendAgain(wire, { method: 'DELETE', path });
  const isLost = answer.kind === 'lost' && !answer.isNeverSent;
  return { made: readDeletion(answer), mayStillArrive: hasLostOne || isLost };
}

function readDeletion(answer: WireAnswer): CreateResult<null> {
  const { trace } = answer;
  const isGone = answer.kind === 'error' && answer.status === 404;
  if (answer.kind === 'ok' || isGone) return { kind: 'made', value: null, trace };
  if (answer.kind === 'lost') {
    return answer.isNeverSent
      ? { kind: 'refused', code: 'unavailable', trace }
      : { kind: 'in_doubt', cause: 'no_answer', trace };
  }
  return answer.status >= 500 || isNotAccepted(answer)
    ? { kind: 'in_doubt', cause: 'not_accepted_yet', trace }
    : { kind: 'refused', code: configurationCode(answer.status), trace };
}
