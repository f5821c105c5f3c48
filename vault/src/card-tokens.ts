// The tables of single-use card tokens and of a session's attempts. Contract §4.
import type {
  ForgetCard,
  RedeemCardToken,
  RedeemedCard,
  RedeemRefusal,
} from '@svc/contract/vault/vault';
import { cardTokenSeconds } from '@svc/contract/vault/vault';
import type pg from 'pg';

export type NewCardToken = {
  readonly tokenSha256: Buffer;
  readonly sessionId: string;
  readonly clientId: string;
  readonly providerPaymentMethodId: string;
  readonly brand: string;
  readonly lastFour: string;
  readonly expiryMonth: number;
  readonly expiryYear: number;
  readonly postalCode: string | null;
  readonly fingerprint: Buffer;
};

/** Stores a token, valid for fifteen minutes. */
export async function insertCardToken(pool: pg.Pool, row: NewCardToken): Promise<void> {
  await pool.query({
    name: 'insert_card_token',
    text: `insert into vault.card_tokens (token_sha256, session_id, client_id,
        provider_payment_method_id, brand, last_four, expiry_month, expiry_year, postal_code,
        fingerprint, expires_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now() + $11 * interval '1 second')`,
    values: [
      row.tokenSha256,
      row.sessionId,
      row.clientId,
      row.providerPaymentMethodId,
      row.brand,
      row.lastFour,
      row.expiryMonth,
      row.expiryYear,
      row.postalCode,
      row.fingerprint,
      cardTokenSeconds,
    ],
  });
}

type NewMethodToken = Pick<
  NewCardToken,
  'tokenSha256' | 'sessionId' | 'clientId' | 'providerPaymentMethodId'
>;

/**
 * Stores a token of a payment method that the provider made, valid for fifteen minutes. Returns false and
 * stores nothing when a token of another session already has the client's method.
 */
export async function insertMethodToken(pool: pg.Pool, row: NewMethodToken): Promise<boolean> {
  const { tokenSha256, sessionId, clientId, providerPaymentMethodId } = row;
  const client = await pool.connect();
  let isOpen = false;
  try {
    await client.query('begin');
    isOpen = true;
    // Of two sessions at once, the second waits here and then sees the token of the first.
    await client.query({
      name: 'lock_method',
      text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
      values: [`${clientId} ${providerPaymentMethodId}`],
    });
    const { rowCount } = await client.query({
      name: 'insert_method_token',
      text: `insert into vault.card_tokens (token_sha256, session_id, client_id,
          provider_payment_method_id, expires_at)
        select $1, $2::uuid, $3::uuid, $4::text, now() + $5 * interval '1 second'
        where not exists (select 1 from vault.card_tokens
          where client_id = $3 and provider_payment_method_id = $4 and session_id <> $2)`,
      values: [tokenSha256, sessionId, clientId, providerPaymentMethodId, cardTokenSeconds],
    });
    await client.query('commit');
    isOpen = false;
    return rowCount === 1;
  } finally {
    // A connection that failed within its transaction is not used again.
    client.release(isOpen);
  }
}

type CardRow = {
  provider_payment_method_id: string;
  brand: string | null;
  last_four: string | null;
  expiry_month: number | null;
  expiry_year: number | null;
  postal_code: string | null;
};

const cardColumns =
  'provider_payment_method_id, brand, last_four, expiry_month, expiry_year, postal_code';

const toCard = (row: CardRow): RedeemedCard => ({
  providerPaymentMethodId: row.provider_payment_method_id,
  brand: row.brand,
  lastFour: row.last_four,
  expiryMonth: row.expiry_month,
  expiryYear: row.expiry_year,
  postalCode: row.postal_code,
});

type RedeemResult = { readonly card: RedeemedCard } | { readonly refusal: RedeemRefusal };

/**
 * Assigns the card of a token to one operation for ever: that operation receives it again, also after the
 * token has expired, and no other operation does. Only for the buyer of a settled claim. A token of another
 * session or client is reported as unknown.
 */
export async function redeemCardToken(
  pool: pg.Pool,
  input: RedeemCardToken,
): Promise<RedeemResult> {
  // Nothing may be charged before the claim settles. The vault checks this too, whatever the service
  // believes.
  if (input.claimedBy === null) return { refusal: 'card_session_unclaimed' };
  const key = [Buffer.from(input.tokenSha256, 'hex'), input.sessionId, input.clientId];
  // Of two operations at once, the second waits for the row's lock and then no longer matches.
  const { rows } = await pool.query<CardRow>({
    name: 'redeem_card_token',
    text: `update vault.card_tokens
      set redeemed_by_operation_id = $4, redeemed_at = coalesce(redeemed_at, now())
      where token_sha256 = $1 and session_id = $2 and client_id = $3
        and (redeemed_by_operation_id = $4
          or (redeemed_by_operation_id is null and expires_at > now()))
      returning ${cardColumns}`,
    values: [...key, input.operationId],
  });
  if (rows[0]) return { card: toCard(rows[0]) };
  const found = await pool.query<{ is_used: boolean }>({
    name: 'find_card_token',
    text: `select redeemed_by_operation_id is not null as is_used from vault.card_tokens
      where token_sha256 = $1 and session_id = $2 and client_id = $3`,
    values: key,
  });
  const [row] = found.rows;
  if (!row) return { refusal: 'card_token_unknown' };
  return { refusal: row.is_used ? 'card_token_used' : 'card_token_expired' };
}

/** Deletes every token of the provider's payment method. Returns how many were deleted. */
export async function forgetCard(pool: pg.Pool, input: ForgetCard): Promise<number> {
  const { rowCount } = await pool.query({
    name: 'forget_card',
    text: `delete from vault.card_tokens
      where client_id = $1 and provider_payment_method_id = $2`,
    values: [input.clientId, input.providerPaymentMethodId],
  });
  return rowCount ?? 0;
}

const attemptsPerHour = 20;

/**
 * Counts an attempt of the session. Returns the seconds to wait when its hour is used up, else undefined.
 */
export async function countAttempt(pool: pg.Pool, sessionId: string): Promise<number | undefined> {
  const { rows } = await pool.query<{ attempts: number; wait: number }>({
    name: 'count_attempt',
    text: `insert into vault.session_attempts as a (session_id, attempts) values ($1, 1)
      on conflict (session_id) do update set
        attempts = case when a.window_started_at < now() - interval '1 hour' then 1
          else least(a.attempts + 1, $2 + 1) end,
        window_started_at = case when a.window_started_at < now() - interval '1 hour' then now()
          else a.window_started_at end
      returning attempts,
        ceil(extract(epoch from window_started_at + interval '1 hour' - now()))::int as wait`,
    values: [sessionId, attemptsPerHour],
  });
  const [row] = rows;
  return row && row.attempts > attemptsPerHour ? Math.max(row.wait, 1) : undefined;
}

/** Deletes rows that expired more than a day ago. Returns how many tokens were deleted. */
export async function sweep(pool: pg.Pool): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from vault.card_tokens where expires_at < now() - interval '1 day'`,
  );
  await pool.query(
    `delete from vault.session_attempts where window_started_at < now() - interval '1 day'`,
  );
  return rowCount ?? 0;
}
