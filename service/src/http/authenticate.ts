// Who is calling. Client Basic for servers, the session's nonce for browsers, the page's token for the
// customer's own page. Every failure of a
// server's credential is answered by one and the same 401. Contract §6, reliability of the parsing:
// what two readers could understand differently is refused.

import { hash } from 'node:crypto';
import type { RowShape } from '@svc/contract/row';
import { parseApiToken } from '../domain/api-token.ts';
import { Refusal } from '../domain/refusal.ts';
import { recordTokenUse } from '../operations/api-tokens/record-token-use.ts';
import { verifyApiToken } from '../operations/api-tokens/verify-api-token.ts';
import { verifyPageToken } from '../operations/customer-pages/verify-page-token.ts';
import type { Caller, Ports } from '../operations/ports.ts';
import { headerValues } from './idempotency-key.ts';
import type { Limits } from './limits.ts';
import { rateLimited } from './rate-limited.ts';

const maxHeaderLength = 1024;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export type BasicCredential = { readonly clientId: string; readonly token: string };

/**
 * The credential of `Authorization: Basic …` (RFC 7617): one header, canonical base64, the client's
 * UUID before the first colon, an API token with a right checksum after it. Undefined for anything
 * else; nothing is looked up.
 */
export function parseBasic(values: readonly string[]): BasicCredential | undefined {
  const [value = ''] = values;
  if (values.length !== 1 || value.length > maxHeaderLength) return undefined;
  const encoded = /^basic ([A-Za-z0-9+/]+={0,2})$/i.exec(value)?.[1];
  if (encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  // Node's decoder skips junk and accepts missing padding; one value has one spelling.
  if (bytes.toString('base64') !== encoded) return undefined;
  const text = bytes.toString('latin1');
  const colon = text.indexOf(':');
  const clientId = text.slice(0, Math.max(colon, 0)).toLowerCase();
  const token = parseApiToken(text.slice(colon + 1));
  if (!uuid.test(clientId) || token === undefined) return undefined;
  return { clientId, token };
}

export type Arrival = {
  readonly rawHeaders: readonly string[];
  readonly requestId: string;
  readonly address: string;
  readonly origin: string | null;
};

export type Authenticator = {
  /**
   * Refuses authentication_required, checkout_session_token_required, customer_page_token_required,
   * customer_page_not_found, rate_limited.
   */
  authenticate(row: RowShape, arrival: Arrival): Promise<Caller>;
  /** Writes what is known of the use of tokens and stops. */
  close(): Promise<void>;
};

type Settings = {
  readonly ports: Pick<Ports, 'database'>;
  readonly limits: Limits;
  /** How often the use of tokens is written. */
  readonly flushMs?: number;
};

export function openAuthenticator({ ports, limits, flushMs = 1000 }: Settings): Authenticator {
  const uses = collectUses(ports, flushMs);

  const failed = (address: string): Refusal => {
    // A right credential still passes: an address may be shared, and only guesses are limited.
    const take = limits.failedBasic.take(address);
    return take.isAllowed
      ? new Refusal('authentication_required')
      : rateLimited(take, 'wrong credentials from your address');
  };

  const server = async (values: readonly string[], arrival: Arrival): Promise<Caller> => {
    const credential = parseBasic(values);
    if (!credential) throw failed(arrival.address);
    const sha256 = hash('sha256', credential.token, 'buffer');
    const verified = await verifyApiToken(credential.clientId, sha256, ports);
    if (!verified) throw failed(arrival.address);
    const { isUseDue, ...owner } = verified;
    if (isUseDue) uses.add(verified.tokenId);
    const { requestId, origin } = arrival;
    return {
      kind: 'server',
      via: 'token',
      clientId: credential.clientId,
      ...owner,
      requestId,
      origin,
    };
  };

  const customer = async ({ rawHeaders, requestId, address, origin }: Arrival): Promise<Caller> => {
    const tokens = headerValues(rawHeaders, 'x-customer-page-token');
    if (tokens.length === 0) throw new Refusal('customer_page_token_required');
    const page = await verifyPageToken(hash('sha256', tokens.join('\n'), 'buffer'), ports);
    if (page) return { kind: 'customer', ...page, requestId, origin };
    const take = limits.wrongSession.take(address);
    throw take.isAllowed
      ? new Refusal('customer_page_not_found')
      : rateLimited(take, 'wrong guesses from your address');
  };

  return {
    async authenticate({ auth }, arrival) {
      if (auth === 'customer-page') return customer(arrival);
      const { rawHeaders, requestId, origin } = arrival;
      const basic = headerValues(rawHeaders, 'authorization');
      if (auth !== 'session' && basic.length > 0) return server(basic, arrival);
      if (auth === 'anyone') return { kind: 'anonymous', requestId, origin };
      if (auth === 'server') throw new Refusal('authentication_required');
      const nonces = headerValues(rawHeaders, 'x-checkout-session-token');
      if (nonces.length === 0) {
        const isSession = auth === 'session';
        throw new Refusal(
          isSession ? 'checkout_session_token_required' : 'authentication_required',
        );
      }
      // A malformed or repeated nonce is hashed like any other and found nowhere: one answer.
      return {
        kind: 'session',
        nonceSha256: hash('sha256', nonces.join('\n'), 'buffer'),
        requestId,
        origin,
      };
    },
    close: uses.close,
  };
}

/** Gathers used tokens and writes them off the path of the requests. Losing some is harmless. */
function collectUses(ports: Pick<Ports, 'database'>, flushMs: number) {
  const due = new Set<string>();
  let running: Promise<void> = Promise.resolve();
  const flush = () => {
    if (due.size === 0) return running;
    const tokenIds = [...due];
    due.clear();
    running = recordTokenUse(tokenIds, ports).catch(() => undefined);
    return running;
  };
  const timer = setInterval(flush, flushMs);
  timer.unref();
  return {
    add: (tokenId: string) => void due.add(tokenId),
    async close() {
      clearInterval(timer);
      await running;
      await flush();
    },
  };
}
