// The vault's only call to the card provider: it makes a payment method from a card, with the publishable
// key, which permits nothing else. Contract §4.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { cardProviderVersion } from '@svc/contract/vault/vault';
import { Agent, type Dispatcher } from 'undici';

export type ProviderCard = {
  readonly number: Buffer;
  readonly cvc: Buffer;
  readonly expiryMonth: number;
  readonly expiryYear: number;
  readonly name: string | undefined;
  readonly postalCode: string | undefined;
};

export type Outcome =
  | {
      readonly kind: 'created';
      readonly paymentMethodId: string;
      /** The provider's name of the brand; undefined when it gave none. */
      readonly brand: string | undefined;
    }
  | ({ readonly kind: 'refused'; readonly code: string } & AnswerFacts)
  /** `raw_cards`: the account may not send card numbers with its publishable key. */
  | ({ readonly kind: 'misconfigured'; readonly why: 'raw_cards' | 'other' } & AnswerFacts)
  | ({ readonly kind: 'unavailable' } & Partial<AnswerFacts>);

/** The facts about a refusal or failure that are logged. */
export type AnswerFacts = {
  readonly status: number;
  /** The provider's own request id. */
  readonly requestId: string | null;
  /** The provider's own message. */
  readonly message: string | null;
};

/** How long the provider may take to answer. */
export const answerWithinMs = 8_000;
const maxAnswerBytes = 64 * 1024;
/** The pauses before each further send where the account sends more than the provider takes at a time. */
const waitsMs = [250, 500, 1000, 2000];

/** Builds the form body around the two secrets, as bytes. The caller wipes it. */
function encodeCard(card: ProviderCard): Buffer {
  const encode = (name: string, value: string) =>
    `&${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  const rest =
    encode('card[exp_month]', String(card.expiryMonth)) +
    encode('card[exp_year]', String(card.expiryYear)) +
    (card.name ? encode('billing_details[name]', card.name) : '') +
    (card.postalCode ? encode('billing_details[address][postal_code]', card.postalCode) : '');
  const parts = [
    Buffer.from(`type=card&${encodeURIComponent('card[number]')}=`),
    card.number,
    Buffer.from(`&${encodeURIComponent('card[cvc]')}=`),
    card.cvc,
    Buffer.from(rest),
  ];
  // `Buffer.concat` may return a slice of a shared pool, whose bytes other code could read later.
  const body = Buffer.alloc(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) at += part.copy(body, at);
  return body;
}

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

const word = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[a-z][a-z0-9_]{0,60}$/.test(value) ? value : undefined;

/** Recognises the refusal of raw card numbers by its message, because the provider has no code for it. */
const rawCards =
  /unsupported for publishable key tokenization|credit card numbers directly|raw card (data|numbers)/i;

function translate(status: number, body: Fields, requestId: string | null): Outcome {
  const { id } = body;
  const error = fieldsOf(body.error);
  const text =
    typeof error.message === 'string'
      ? error.message.slice(0, 500).replaceAll(/\b[prs]k_(live|test)_\S+/g, '[key]')
      : null;
  // A message with eight digits in a row is not logged: a part of a card number is card data.
  const said = { status, requestId, message: /\d(?:\D{0,2}\d){7}/.test(text ?? '') ? null : text };
  if (status === 200) {
    const isId = typeof id === 'string' && /^pm_[A-Za-z0-9_]{1,200}$/.test(id);
    const brand = word(fieldsOf(body.card).brand);
    return isId
      ? { kind: 'created', paymentMethodId: id, brand }
      : { kind: 'unavailable', ...said };
  }
  const code = word(error.decline_code) ?? word(error.code);
  // The provider uses status 402 for other errors too.
  if (error.type === 'card_error') {
    return { kind: 'refused', code: code ?? 'card_declined', ...said };
  }
  const isBusy = status === 409 || status === 429 || status >= 500;
  if (isBusy) return { kind: 'unavailable', ...said };
  return { kind: 'misconfigured', why: rawCards.test(text ?? '') ? 'raw_cards' : 'other', ...said };
}

async function readCapped(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxAnswerBytes) throw new Error('The answer is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Nothing ran: the provider asks to come again later. */
const isTurnedAway = (outcome: Outcome): boolean =>
  outcome.kind === 'unavailable' && outcome.status === 429;

export type Provider = {
  /** Never throws. Wipes its own copy of the card; the given buffers stay the caller's. */
  createPaymentMethod(publishableKey: string, card: ProviderCard): Promise<Outcome>;
  close(): Promise<void>;
};

/** Keeps connections to one provider. It follows no redirect and uses no proxy setting. */
export function openProvider(
  baseUrl: string,
  timeoutMs: number = answerWithinMs,
  pausesMs: readonly number[] = waitsMs,
): Provider {
  const { origin, pathname } = new URL(baseUrl);
  const path = `${pathname.replace(/\/$/, '')}/v1/payment_methods`;
  const agent = new Agent({
    connect: { timeout: 5_000 },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connections: 32,
  });
  const call = async (publishableKey: string, body: Buffer, key: string): Promise<Outcome> => {
    const answer = await agent.request({
      origin,
      path,
      method: 'POST',
      headers: {
        authorization: `Bearer ${publishableKey}`,
        'content-type': 'application/x-www-form-urlencoded',
        'stripe-version': cardProviderVersion,
        'user-agent': 'Svc-vault',
        // A proxy on the way may send a request twice.
        'idempotency-key': key,
      },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await readCapped(answer.body);
    const requestId = [answer.headers['request-id']].flat()[0];
    const isId = requestId !== undefined && /^[\w-]{1,100}$/.test(requestId);
    return translate(answer.statusCode, fieldsOf(JSON.parse(text)), isId ? requestId : null);
  };
  return {
    createPaymentMethod: async (publishableKey, card) => {
      const body = encodeCard(card);
      try {
        const key = randomUUID();
        let outcome = await call(publishableKey, body, key);
        for (const ms of pausesMs) {
          if (!isTurnedAway(outcome)) break;
          // Spread, because calls that were turned away together come together again.
          await delay(ms * (1 + Math.random() / 2));
          outcome = await call(publishableKey, body, key);
        }
        return outcome;
      } catch {
        return { kind: 'unavailable' };
      } finally {
        body.fill(0);
      }
    },
    close: () => agent.close(),
  };
}
