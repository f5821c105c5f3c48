// The calls between service and vault, and the tokens of the vault's form. Contract §4.

import { type Static, Type } from 'typebox';
import { input, nullable, uuid } from '../rows/schema.ts';

/**
 * Claims of a mount token: `svcm_` + base64url(JSON) + `.` + base64url(HMAC-SHA256 of the part
 * before the dot under the shared key). Signed by the service, verified by the vault.
 */
export type MountClaims = {
  readonly sessionId: string;
  readonly clientId: string;
  /** The provider key that can only create payment methods. */
  readonly publishableKey: string;
  readonly livemode: boolean;
  /**
   * Signature of the `parents` with which the form was opened: the token works only in a form that exactly
   * these pages may embed.
   */
  readonly parents: string;
  /** Unix seconds. */
  readonly expiresAt: number;
  /**
   * The amount that express buttons show, in the card provider's minor units; absent where nothing is due yet. It
   * is for display only: the service charges the session's amount.
   */
  readonly amount?: number;
  readonly currency?: string;
};

/**
 * `parents` query parameter of the form's address: base64url(JSON array of origins) + `.` +
 * base64url(HMAC-SHA256 of the part before the dot). An origin may end in `:*` (any port).
 */
export type FrameParents = readonly string[];

/**
 * A card token: `svct_` + base64url of 32 bytes. The first 16 are random, the others the first 16 of
 * HMAC-SHA256(`card-token\n<session id, lower case>\n<base64url of the random part>`) under the shared key,
 * so that the service recognises a token of another session without asking the vault.
 */
export const cardTokenPrefix = 'svct_';

/** Life of a card token in seconds. Contract §3. */
export const cardTokenSeconds = 900;

/**
 * Signed internal call: header `svc-internal: t=<unix ms>,v1=<hex HMAC-SHA256 of
 * "<t>.<METHOD> <path>.<raw body>" under the shared key>`; refused when over 30 s old.
 */
export const internalSignatureHeader = 'svc-internal';

/** The card provider's API version that service and vault use: that of the provider's library. */
export const cardProviderVersion = '2026-10-28.endive';

/** POST {vault internal}/internal/card-tokens/redeem; repeatable with the same operationId. */
export const RedeemCardToken = input({
  /** Hex SHA-256 of the whole token; the value itself is not stored anywhere. */
  tokenSha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  sessionId: uuid(),
  clientId: uuid(),
  operationId: uuid(),
  /** The buyer of the settled claim. A session without one has null and is refused. */
  claimedBy: nullable(uuid()),
});
export type RedeemCardToken = Static<typeof RedeemCardToken>;

/**
 * What the buyer typed into the form. All fields are null when the provider's own fields took the card:
 * then only the provider knows which card it is.
 */
export const RedeemedCard = Type.Object({
  providerPaymentMethodId: Type.String(),
  brand: nullable(Type.String()),
  lastFour: nullable(Type.String()),
  expiryMonth: nullable(Type.Integer()),
  expiryYear: nullable(Type.Integer()),
  postalCode: nullable(Type.String()),
});
export type RedeemedCard = Static<typeof RedeemedCard>;

/** 200 with a RedeemedCard, or 409 with `{ "code": … }`. */
export const redeemRefusals = [
  'card_token_unknown',
  'card_token_used',
  'card_token_expired',
  'card_session_unclaimed',
] as const;
export type RedeemRefusal = (typeof redeemRefusals)[number];

/** POST {vault internal}/internal/card-tokens/forget: 200 with a ForgottenCard; repeatable. */
export const ForgetCard = input({
  clientId: uuid(),
  providerPaymentMethodId: Type.String({ minLength: 1, maxLength: 255 }),
});
export type ForgetCard = Static<typeof ForgetCard>;

export const ForgottenCard = Type.Object({
  /** How many tokens of the card were deleted. */
  forgotten: Type.Integer(),
});

/** Version of the messages between page and form; part of the form's path. */
export const formProtocol = 1;
