// One submit of CardPayment: reads the session, takes a token from the form where one is needed, and passes
// the end of confirmPayment to the callbacks. Contract §3, Process.

import { loadPart } from '../api/load-part.ts';
import { errorOf, SvcError } from '../api/svc-error.ts';
import type { CheckoutSession, ProcessBody } from '../api/wire.ts';
import type { CardFrame } from '../card-frame/card-frame.ts';
import type { Language } from '../texts/texts.ts';
import type { CardPaymentOptions, CardPaymentResult } from './card-payment-types.ts';
import type { PaymentResult } from './confirm-payment-types.ts';
import type { PaymentCalls } from './payment-calls.ts';

export type Fixture = {
  /** Null where the form was not needed when it was mounted. */
  readonly frame: Pick<CardFrame, 'element' | 'submit' | 'setMountToken'> | null;
  readonly calls: PaymentCalls;
  readonly options: CardPaymentOptions;
  readonly language: Promise<Language>;
  readonly signal: AbortSignal;
};

type TokenizedData = NonNullable<ProcessBody['tokenizedData']>;

export async function payCard(fixture: Fixture): Promise<CardPaymentResult> {
  const { calls, options, signal } = fixture;
  const { sessionId, expectedTotal } = options;
  const { session, card } = await collect(fixture);
  const { accountData } = session;
  if (!accountData) {
    throw new SvcError('validation_error', 'checkout_session_data_attachment_required', {
      message: 'The session has no buyer yet: claim it first. Nothing was charged.',
    });
  }
  const body: ProcessBody = {
    sessionId,
    accountData,
    ...(card ? { tokenizedData: card } : {}),
    ...(typeof expectedTotal === 'number' ? { expectedTotal } : {}),
  };
  const { appearance, locale, styleNonce, challengeTimeoutMs } = options;
  const given = { appearance, locale, styleNonce, challengeTimeoutMs };
  const looks = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  );
  const container = fixture.frame?.element.parentElement;
  const { confirmPayment } = await loadPart(() => import('./confirm-payment.ts'), 'confirmPayment');
  const wishes = { ...looks, ...(container ? { container } : {}), signal };
  const buyer = accountData.externalId ?? accountData.userId;
  const end = await confirmPayment(calls, [buyer, body, fixture.language], wishes);
  return resultOf(end);
}

/**
 * Reads the session again, because the buyer may have been attached and coupons changed, and takes its
 * card.
 */
async function collect(
  fixture: Fixture,
): Promise<{ session: CheckoutSession; card: TokenizedData | null }> {
  const { calls, options, signal } = fixture;
  const { paymentMethodId, saveForLater } = options;
  const read = calls.readSession(signal);
  if (paymentMethodId) {
    const session = await read;
    const card = { provider: 'cardprovider', type: 'card', paymentMethodId } as const;
    return { session, card: session.totals?.total === 0 ? null : card };
  }
  // Both run at the same time: only one of them uses the network.
  const [session, token] = await Promise.allSettled([read, takeToken(fixture)]);
  if (session.status === 'rejected') throw session.reason;
  if (session.value.totals?.total === 0) return { session: session.value, card: null };
  if (token.status === 'rejected') throw token.reason;
  const kept = saveForLater ? { saveForLater } : {};
  const card = { provider: 'cardprovider', type: 'card', token: token.value, ...kept } as const;
  return { session: session.value, card };
}

/** Takes a token from the form, with a new mount token when the old one has expired. */
async function takeToken({ frame, calls, signal }: Fixture): Promise<string> {
  if (!frame) throw new SvcError('validation_error', 'form_not_mounted');
  try {
    return (await frame.submit()).token;
  } catch (cause) {
    if (errorOf(cause).code !== 'session_expired') throw cause;
    const { vault } = await calls.readSession(signal);
    if (!vault) throw cause;
    frame.setMountToken(vault.mountToken);
    return (await frame.submit()).token;
  }
}

function resultOf(end: PaymentResult): CardPaymentResult {
  switch (end.type) {
    case 'succeeded':
      return { type: 'success', body: end.body };
    case 'processing':
      return { type: 'processing' };
    case 'cancelled':
    case 'timed_out':
      return { type: 'cancel', reason: end.type };
    default: {
      const { declineCode: code, message, advice } = end;
      return { type: 'decline', code, message, advice, retryable: advice !== 'do_not_try_again' };
    }
  }
}
