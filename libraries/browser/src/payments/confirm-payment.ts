// One payment by card, from the call to a known end: shows the bank's challenge in a dialog, repeats the
// call with the challenge's result, and reads the status until the provider has responded. Loaded with the
// first payment. Contract §3, Process; experience: 3DS.

import { loadPart } from '../api/load-part.ts';
import { sleep } from '../api/send.ts';
import type { SessionAPI } from '../api/session-api.ts';
import type { SessionState } from '../api/session-state.ts';
import { errorOf, SvcError } from '../api/svc-error.ts';
import type { ProcessAnswer, ProcessBody } from '../api/wire.ts';
import type { HandOverEnd } from '../challenge/hand-over.ts';
import type { HandOverRequest, LoadDialog } from '../challenge/hand-over-request.ts';
import type { Language } from '../texts/texts.ts';
import type { ConfirmOptions, PaymentResult } from './confirm-payment-types.ts';

type SucceededBody = Extract<PaymentResult, { type: 'succeeded' }>['body'];
type Payment = HandOverRequest<ProcessAnswer, SucceededBody>;

/** A copy of the body, so that repeats send the same bytes even when the caller changes the object. */
const copyOf = (body: ProcessBody): ProcessBody => JSON.parse(JSON.stringify(body)) as ProcessBody;

/** The calls that a payment makes to the service. */
type PaymentCalls = Pick<
  SessionAPI,
  'getCheckoutSessionStatus' | 'processPayment' | 'declineSession'
>;

/** The caller's options, and in a test a dialog of its own. */
type Options = ConfirmOptions & { readonly loadDialog?: LoadDialog };

type PaymentArguments = readonly [userId: string, body: ProcessBody, language: Promise<Language>];

export async function confirmPayment(
  api: PaymentCalls,
  given: PaymentArguments,
  { signal = new AbortController().signal, ...options }: Options,
): Promise<PaymentResult> {
  try {
    return await confirm(api, given, { ...options, signal });
  } catch (cause) {
    if (!signal.aborted) throw errorOf(cause);
    throw new SvcError('api_error', 'aborted', { message: String(cause), cause });
  }
}

async function confirm(
  api: PaymentCalls,
  [userId, given, spoken]: PaymentArguments,
  { answer, signal, container, loadDialog, ...options }: Options & { readonly signal: AbortSignal },
): Promise<PaymentResult> {
  const body = copyOf(given);
  const { sessionId } = body;
  if (body.tokenizedData && body.tokenizedData.provider !== 'cardprovider') {
    throw new SvcError('validation_error', 'card_required', {
      message: 'A wallet asks at its own page: use processPayment, and lead the buyer there.',
      param: 'tokenizedData.provider',
    });
  }
  const readStatus = async (wait: number, until: AbortSignal) =>
    (await api.getCheckoutSessionStatus(sessionId, { wait, signal: until })).data;
  const [language, { handOver }, before] = await Promise.all([
    spoken,
    loadPart(() => import('../challenge/hand-over.ts'), 'handOver'),
    answer ? undefined : lastAttempt(() => readStatus(0, signal)),
  ]);
  signal.throwIfAborted();
  const deal: Payment = {
    isPaying: true,
    nothing: 'Nothing was charged; pay again.',
    give: (chv, until) =>
      api.processPayment(userId, chv ? { ...body, chv } : body, { signal: until }),
    readStatus,
    letGo: async (end, until) => (await api.declineSession(sessionId, end, { signal: until })).data,
    doneBy: successOf,
    doneAt: (standing) => successFromStatus(standing, sessionId),
    language,
    options,
    container,
    loadDialog,
    signal,
    before,
  };
  return resultOf(await handOver(deal, { answer }), deal);
}

const lastAttempt = (read: () => Promise<SessionState>): Promise<string | null | undefined> =>
  read().then(
    ({ latestTransactionAttempt }) => latestTransactionAttempt?.id ?? null,
    () => undefined,
  );

const successOf = (answer: ProcessAnswer): SucceededBody | undefined =>
  answer.type === 'success' ? (answer as SucceededBody) : undefined;

/** The success that processPayment would return, made from the status, which lacks `redirectUrl`. */
const successFromStatus = (
  { status, paymentId, authorizationExpiresAt }: SessionState,
  sessionId: string,
): SucceededBody | undefined =>
  /^(completed|authorized)$/.test(status) && paymentId
    ? {
        type: 'success',
        status: status === 'authorized' ? status : 'succeeded',
        sessionId,
        paymentId,
        authorizationExpiresAt,
      }
    : undefined;

/** How long a known success waits for its `redirectUrl`. */
const wholeWithinMs = 3_000;

/** Adds `redirectUrl`, which the status lacks: a settled session returns its success again. */
async function addRedirectUrl(
  paid: SucceededBody,
  { give, signal }: Payment,
): Promise<SucceededBody> {
  if (paid.redirectUrl !== undefined) return paid;
  const whole = give(undefined, signal).then(successOf);
  const late = sleep(wholeWithinMs, signal).then(() => paid);
  return (await Promise.race([whole, late]).catch(() => paid)) ?? paid;
}

async function resultOf(ended: HandOverEnd<SucceededBody>, deal: Payment): Promise<PaymentResult> {
  switch (ended.kind) {
    case 'succeeded':
      return { type: 'succeeded', body: await addRedirectUrl(ended.done, deal) };
    case 'refused':
      throw ended.error;
    case 'unknown':
      return { type: 'processing' };
    case 'declined':
      return refusalOf(ended, deal.language);
    default:
      return { type: ended.kind };
  }
}

function refusalOf(
  { code, advice, message }: Extract<HandOverEnd<SucceededBody>, { kind: 'declined' }>,
  { texts }: Language,
): PaymentResult {
  const type = code === 'authentication_failed' ? 'failed' : 'declined';
  const words = texts?.paying[type === 'failed' ? 'notConfirmed' : 'declined'];
  return { type, code: 'card_declined', declineCode: code, advice, message: words ?? message };
}
