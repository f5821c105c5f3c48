// Exchanges a card for a single-use token: has the provider make a payment method, stores the token's hash
// and what a person may see of the card, and wipes number and CVC. Contract §4.
import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { MountClaims } from '@svc/contract/vault/vault';
import type pg from 'pg';
import { brandOf, isCardNumber, isCvc } from './card-bytes.ts';
import { countAttempt, insertCardToken, insertMethodToken } from './card-tokens.ts';
import { Refusal } from './errors.ts';
import { isExpiryPast } from './form/checks.ts';
import type { Outcome, Provider } from './provider.ts';
import type { Driver, Mode } from './settings.ts';
import { openMountToken, signCardToken } from './signatures.ts';

export type Ports = {
  readonly pool: pg.Pool;
  readonly provider: Provider;
  readonly key: Buffer;
  readonly sharedKey: Buffer;
  readonly mode: Mode;
  readonly driver: Driver;
};

/** The form's mount token and its list of pages. */
export type MountedForm = {
  readonly mountToken: string;
  /** Signature of the `parents` with which the form was opened. */
  readonly parents: string;
};

/** A payment method that the provider made of a card typed into its own fields. */
export type HostedCard = MountedForm & { readonly paymentMethodId: string };

/** A card that was typed into our form. The code that made the two buffers wipes them. */
export type TypedCard = MountedForm & {
  readonly number: Buffer;
  readonly cvc: Buffer;
  readonly expiryMonth: number;
  readonly expiryYear: number;
  readonly name: string | undefined;
  readonly postalCode: string | undefined;
};

export type CardToken = {
  readonly token: string;
  readonly brand: string;
  readonly lastFour: string;
};

/** Throws session_expired, and origin_not_allowed when the form was opened for other pages. */
function getClaims(ports: Ports, { mountToken, parents }: MountedForm): MountClaims {
  const claims = openMountToken(mountToken, ports.sharedKey, Date.now());
  const isRightMode = claims?.livemode === (ports.mode === 'live');
  if (!claims || !isRightMode) throw new Refusal('session_expired');
  if (claims.parents !== parents) throw new Refusal('origin_not_allowed');
  return claims;
}

/** Throws the first that applies: number_invalid, expiry_incomplete, expiry_past, cvc_incomplete. */
function assertCard(card: TypedCard): void {
  if (!isCardNumber(card.number)) throw new Refusal('number_invalid', { param: 'number' });
  const isMonth = card.expiryMonth >= 1 && card.expiryMonth <= 12;
  if (!isMonth || card.expiryYear < 2000 || card.expiryYear > 2099) {
    throw new Refusal('expiry_incomplete', { param: 'expiryMonth' });
  }
  if (isExpiryPast(card.expiryMonth, card.expiryYear, Date.now())) {
    throw new Refusal('expiry_past', { param: 'expiryYear' });
  }
  if (!isCvc(card.cvc, brandOf(card.number))) throw new Refusal('cvc_incomplete', { param: 'cvc' });
}

/** The provider's codes for which the form has its own sentence. */
const formCodes = {
  incorrect_number: 'number_invalid',
  invalid_number: 'number_invalid',
  invalid_expiry_month: 'expiry_past',
  invalid_expiry_year: 'expiry_past',
  expired_card: 'expiry_past',
  invalid_cvc: 'cvc_incomplete',
} as const;

function requireCreated(outcome: Outcome): Extract<Outcome, { kind: 'created' }> {
  if (outcome.kind === 'created') return outcome;
  const { status: providerStatus = null, requestId: providerRequestId = null } = outcome;
  const said = { providerStatus, providerRequestId, said: outcome.message ?? null };
  if (outcome.kind === 'unavailable') throw new Refusal('provider_unavailable', { said });
  if (outcome.kind === 'misconfigured') {
    const isRaw = outcome.why === 'raw_cards';
    throw new Refusal(isRaw ? 'raw_card_numbers_refused' : 'provider_misconfigured', { said });
  }
  const { code } = outcome;
  if (Object.hasOwn(formCodes, code)) {
    throw new Refusal(formCodes[code as keyof typeof formCodes], { said });
  }
  throw new Refusal('card_refused', { declineCode: code, said });
}

async function assertBudget({ pool }: Ports, { sessionId }: MountClaims): Promise<void> {
  const wait = await countAttempt(pool, sessionId);
  if (wait !== undefined) throw new Refusal('rate_limited', { retryAfterSeconds: wait });
}

function newToken({ sharedKey }: Ports, { sessionId }: MountClaims) {
  const token = signCardToken(randomBytes(16), sessionId, sharedKey);
  return { token, tokenSha256: createHash('sha256').update(token).digest() };
}

/**
 * Stores only the provider's id of the card: what a browser states about it proves nothing, so the service
 * asks the provider when it redeems the token. Throws, in this order: session_expired; origin_not_allowed;
 * rate_limited; provider_method_not_usable for a method that came with another session.
 */
export async function tokeniseMethod(
  ports: Ports,
  hosted: HostedCard,
): Promise<{ readonly token: string }> {
  const claims = getClaims(ports, hosted);
  await assertBudget(ports, claims);
  const { token, tokenSha256 } = newToken(ports, claims);
  const isKept = await insertMethodToken(ports.pool, {
    tokenSha256,
    sessionId: claims.sessionId,
    clientId: claims.clientId,
    providerPaymentMethodId: hosted.paymentMethodId,
  });
  if (!isKept) throw new Refusal('provider_method_not_usable', { param: 'paymentMethodId' });
  return { token };
}

/**
 * Throws, in this order: session_expired; origin_not_allowed; the codes of `assertCard`; rate_limited; the
 * provider's codes; provider_unavailable. The token's value is only in the response: the vault stores its
 * hash.
 */
export async function tokenise(ports: Ports, card: TypedCard): Promise<CardToken> {
  const claims = getClaims(ports, card);
  assertCard(card);
  await assertBudget(ports, claims);

  const fingerprint = createHmac('sha256', ports.key).update(card.number).digest();
  const lastFour = card.number.subarray(-4).toString('latin1');
  const outcome = requireCreated(
    await ports.provider.createPaymentMethod(claims.publishableKey, card),
  );

  const { token, tokenSha256 } = newToken(ports, claims);
  const brand = outcome.brand ?? brandOf(card.number)?.brand ?? 'unknown';
  await insertCardToken(ports.pool, {
    tokenSha256,
    sessionId: claims.sessionId,
    clientId: claims.clientId,
    providerPaymentMethodId: outcome.paymentMethodId,
    brand,
    lastFour,
    expiryMonth: card.expiryMonth,
    expiryYear: card.expiryYear,
    postalCode: card.postalCode ?? null,
    fingerprint,
  });
  return { token, brand, lastFour };
}
