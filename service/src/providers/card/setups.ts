// Setup intents: a card is verified and saved for its customer, and no money moves. One for each
// row of `card_setups`, created with a key that never changes, confirmed with the set-up's key.

import type Stripe from 'stripe';
import { configurationCode } from '../../domain/protocol/key-refused.ts';
import { markMetadata } from '../../domain/protocol/marks.ts';
import type {
  Advice,
  ProviderSetup,
  SetupCall,
  SetupOutcome,
  SetupReading,
  Trace,
} from '../../engine/ports.ts';
import { cardFacts, translateFailure } from './translate.ts';
import { isAboutCard, read, refusedMethodCode, sendAgain, type Wire } from './wire.ts';

const states: Readonly<Record<string, ProviderSetup['state']>> = {
  requires_payment_method: 'new',
  requires_confirmation: 'new',
  requires_action: 'requires_action',
  processing: 'processing',
  succeeded: 'succeeded',
  canceled: 'canceled',
};

/** The latest attempt states how an authentication ended. */
const expand = ['payment_method', 'latest_attempt'];

const isSetup = (said: Stripe.SetupIntent): boolean =>
  said.object === 'setup_intent' && typeof said.id === 'string' && said.status in states;

const idOf = (reference: string | { id: string } | null): string | null =>
  typeof reference === 'string' ? reference : (reference?.id ?? null);

const endingCodeOf = (attempt: Stripe.SetupIntent['latest_attempt']): string | null => {
  const details = typeof attempt === 'object' ? attempt?.payment_method_details : null;
  return details?.card?.three_d_secure?.result_reason ?? null;
};

/** Translates the setup intent. */
export function translateSetup(said: Stripe.SetupIntent): ProviderSetup {
  const state = states[said.status] ?? 'new';
  const method = typeof said.payment_method === 'object' ? said.payment_method : null;
  const card = method?.card;
  const methodId = idOf(said.payment_method);
  return {
    setupId: said.id,
    state,
    customerId: idOf(said.customer),
    providerPaymentMethodId: state === 'succeeded' ? methodId : null,
    clientSecret: said.client_secret,
    ...(methodId && card
      ? { paidWith: { providerPaymentMethodId: methodId, card: cardFacts(card) } }
      : {}),
    ...(said.last_setup_error
      ? { lastFailure: translateFailure(said.last_setup_error, endingCodeOf(said.latest_attempt)) }
      : {}),
  };
}

/** Nothing was done: the same call is made again when its turn has come. */
const heldBack = 'held_back';

const inDoubtOutcome = (cause: string, trace: Trace): SetupOutcome => ({
  kind: 'in_doubt',
  cause,
  trace,
});

type SetupRefusal = {
  readonly code: string;
  readonly declineCode?: string | null;
  readonly advice?: Advice | null;
};

const refusedOutcome = (
  { code, declineCode = null, advice = null }: SetupRefusal,
  trace: Trace,
): SetupOutcome => ({
  kind: 'refused',
  code,
  declineCode,
  advice,
  trace,
});

/**
 * Creates and confirms the setup intent; when no method is named it is only opened, and the buyer's
 * page confirms.
 */
export async function setUp(wire: Wire, call: SetupCall): Promise<SetupOutcome> {
  const made = await open(wire, call);
  if ('kind' in made) return made;
  const { setup, trace } = made;
  if (call.setupId && call.setupId !== setup.setupId)
    return inDoubtOutcome('answer_mismatch', trace);
  if (!call.setupId) await call.onSetup(setup.setupId);
  const { providerPaymentMethodId } = call;
  if (providerPaymentMethodId === null) {
    return {
      kind: 'requires_action',
      setup,
      challenge: { url: null, clientSecret: setup.clientSecret },
      trace,
    };
  }
  const sent = await sendAgain(wire, (options) =>
    wire.sdk.setupIntents.confirm(
      setup.setupId,
      { payment_method: providerPaymentMethodId, return_url: call.returnUrl, expand },
      { ...options, idempotencyKey: call.key },
    ),
  );
  const { answer } = sent;
  const known = { ...call, setupId: setup.setupId };
  if (sent.isHeldBack) return inDoubtOutcome(heldBack, answer.trace);
  if (answer.kind === 'ok') return judge(wire, known, { said: answer.value, trace: answer.trace });
  if (answer.kind === 'error' && isAboutCard(answer.error)) return decline(wire, known, answer);
  const isRefused =
    answer.kind === 'error' &&
    answer.status < 500 &&
    ![409, 429].includes(answer.status) &&
    answer.error.code !== 'setup_intent_unexpected_state' &&
    answer.error.rawType !== 'idempotency_error';
  const neverSent =
    answer.kind === 'lost' && answer.isNeverSent && !sent.mayHaveArrived && call.isFirstSend;
  if (isRefused || neverSent || sent.isRecorded) {
    const code = isRefused ? refusedMethodCode(answer.error, answer.status) : 'unavailable';
    return close(wire, known, { code, trace: answer.trace });
  }
  const reading = await retrieveSetup(wire, setup.setupId);
  const isOver =
    reading.kind === 'found' && ['succeeded', 'canceled'].includes(reading.setup.state);
  return isOver
    ? { kind: 'confirmed', setup: reading.setup, trace: reading.trace }
    : inDoubtOutcome('no_answer', answer.trace);
}

async function open(
  wire: Wire,
  call: SetupCall,
): Promise<{ setup: ProviderSetup; trace: Trace } | SetupOutcome> {
  if (call.setupId) {
    const reading = await retrieveSetup(wire, call.setupId);
    if (reading.kind !== 'found') return inDoubtOutcome('no_answer', reading.trace);
    const { setup, trace } = reading;
    const isPages = call.providerPaymentMethodId === null;
    const isOpen = setup.state === 'new' || (isPages && setup.state === 'requires_action');
    return isOpen ? { setup, trace } : outcomeOfSetup(setup, trace);
  }
  const { answer, isHeldBack } = await sendAgain(wire, (options) =>
    wire.sdk.setupIntents.create(
      {
        customer: call.customerId,
        usage: 'off_session',
        allowed_payment_method_types: ['card'],
        metadata: {
          card_setup_id: call.cardSetupId,
          session_id: call.sessionId,
          ...markMetadata(wire.making, call.cardSetupId),
        },
      },
      { ...options, idempotencyKey: `setup-${call.cardSetupId}` },
    ),
  );
  if (answer.kind === 'ok' && isSetup(answer.value)) {
    return { setup: translateSetup(answer.value), trace: answer.trace };
  }
  if (isHeldBack) return inDoubtOutcome(heldBack, answer.trace);
  // The id is stored before anything is confirmed, and here it is not stored: whatever was created
  // verifies nothing.
  const isOurMistake =
    answer.kind === 'error' && answer.status < 500 && ![409, 429].includes(answer.status);
  return refusedOutcome(
    { code: isOurMistake ? configurationCode(answer.status) : 'unavailable' },
    answer.trace,
  );
}

/** Returns the setup's state as an outcome. */
function outcomeOfSetup(setup: ProviderSetup, trace: Trace): SetupOutcome {
  if (setup.state !== 'requires_action') return { kind: 'confirmed', setup, trace };
  const challenge = { url: null, clientSecret: setup.clientSecret };
  return { kind: 'requires_action', setup, challenge, trace };
}

function judge(
  wire: Wire,
  call: SetupCall & { setupId: string },
  { said: intent, trace }: { said: Stripe.SetupIntent; trace: Trace },
): SetupOutcome | Promise<SetupOutcome> {
  if (!isSetup(intent)) return inDoubtOutcome('answer_malformed', trace);
  const setup = translateSetup(intent);
  if (setup.setupId !== call.setupId) return inDoubtOutcome('answer_mismatch', trace);
  if (setup.customerId !== call.customerId) return inDoubtOutcome('answer_mismatch', trace);
  if (setup.state === 'new') {
    return close(wire, call, { ...(setup.lastFailure ?? { code: 'declined' }), trace });
  }
  if (setup.state !== 'requires_action') return { kind: 'confirmed', setup, trace };
  const challenge = {
    url: intent.next_action?.redirect_to_url?.url ?? null,
    clientSecret: intent.client_secret,
  };
  return { kind: 'requires_action', setup, challenge, trace };
}

/** A decline is reported only once its setup intent is closed: the next card creates a new one. */
const decline = (
  wire: Wire,
  call: SetupCall & { setupId: string },
  { error, trace }: { error: Stripe.errors.StripeError; trace: Trace },
): Promise<SetupOutcome> => close(wire, call, { ...translateFailure(error), trace });

async function close(
  wire: Wire,
  call: SetupCall & { setupId: string },
  no: SetupRefusal & { readonly trace: Trace },
): Promise<SetupOutcome> {
  const key = `close-${call.cardSetupId}`;
  const closed = await cancelSetup(wire, { key, setupId: call.setupId });
  if (closed.kind !== 'confirmed') return inDoubtOutcome('not_closed', no.trace);
  if (closed.setup.state === 'succeeded') return closed;
  if (closed.setup.state !== 'canceled') return inDoubtOutcome('not_closed', no.trace);
  return refusedOutcome(no, no.trace);
}

/** Reads one setup intent with its card. */
export async function retrieveSetup(wire: Wire, setupId: string): Promise<SetupReading> {
  const answer = await read(wire, (options) =>
    wire.sdk.setupIntents.retrieve(setupId, { expand }, options),
  );
  const { trace } = answer;
  if (answer.kind === 'ok') {
    return isSetup(answer.value) && answer.value.id === setupId
      ? { kind: 'found', setup: translateSetup(answer.value), trace }
      : { kind: 'in_doubt', cause: 'answer_malformed', trace };
  }
  const isMissing = answer.kind === 'error' && answer.status === 404;
  return isMissing ? { kind: 'missing', trace } : { kind: 'in_doubt', cause: 'read_failed', trace };
}

/**
 * Counts the failed attempts of a set-up that a page confirms. The provider knows them before its
 * notices arrive.
 */
export async function countSetupDeclines(wire: Wire, setupId: string): Promise<number | null> {
  const answer = await read(wire, (options) =>
    wire.sdk.setupAttempts.list({ setup_intent: setupId, limit: 100 }, options),
  );
  if (answer.kind !== 'ok' || !Array.isArray(answer.value.data)) return null;
  return answer.value.data.filter(({ status }) => status === 'failed').length;
}

/**
 * Closes the setup intent; one that has succeeded, or was closed before, is returned as it is.
 * Closing twice changes nothing, so a second key is used when the provider has recorded an error
 * for the first.
 */
export async function cancelSetup(
  wire: Wire,
  call: { readonly key: string; readonly setupId: string },
): Promise<SetupOutcome> {
  const first = await sendClose(wire, call);
  const { answer } = first.isRecorded
    ? await sendClose(wire, { ...call, key: `${call.key}-2` })
    : first;
  if (answer.kind === 'ok' && isSetup(answer.value) && answer.value.id === call.setupId) {
    return { kind: 'confirmed', setup: translateSetup(answer.value), trace: answer.trace };
  }
  const reading = await retrieveSetup(wire, call.setupId);
  const isOver =
    reading.kind === 'found' && ['succeeded', 'canceled'].includes(reading.setup.state);
  return isOver
    ? { kind: 'confirmed', setup: reading.setup, trace: reading.trace }
    : inDoubtOutcome('not_closed', answer.trace);
}

const sendClose = (wire: Wire, { key, setupId }: { key: string; setupId: string }) =>
  sendAgain(wire, (options) =>
    wire.sdk.setupIntents.cancel(setupId, { expand }, { ...options, idempotencyKey: key }),
  );
