// The service's side of the vault: signs mount tokens and frame parents, redeems card tokens,
// deletes cards.
// Contract §4; the definitions that both sides share are in contract/src/vault/vault.ts.

import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import {
  agreementHeader,
  fingerprintText,
  mostSkewMs,
  type Told,
  writeTold,
} from '@svc/contract/servers/agreement';
import type { Mode } from '@svc/contract/servers/modes';
import { loopbackOrigins } from '@svc/contract/servers/origins';
import {
  cardTokenPrefix,
  formProtocol,
  internalSignatureHeader,
  type MountClaims,
  type RedeemedCard,
  type RedeemRefusal,
  redeemRefusals,
} from '@svc/contract/vault/vault';
import Pool from 'undici/lib/dispatcher/pool.js';
import { cardShift, shiftByTens } from '../domain/money/money.ts';
import { parseBase64url } from '../domain/protocol/base64url.ts';
import type { Redemption, Vault } from '../engine/ports.ts';
import { sendAndRead } from './sending/ask.ts';

export type VaultSettings = {
  /** The public origin of the card form. */
  readonly formOrigin: string;
  readonly internalUrl: string;
  readonly sharedKey: Buffer;
  readonly mode: Mode;
  /** The origin of the service's own checkout page, which may always embed the form. */
  readonly checkoutOrigin: string;
};

const mountSeconds = 3600;
const answerMs = 3000;
const readyMs = 3000;
const redeemPath = '/internal/card-tokens/redeem';
const forgetPath = '/internal/card-tokens/forget';

/** The list of parent pages as the form reads it from its URL, and its signature. */
type Parents = { readonly query: string; readonly signature: string };
const mostKept = 1000;

export function openVault(settings: VaultSettings): Vault & { close(): Promise<void> } {
  const { sharedKey } = settings;
  const key = createHmac('sha256', sharedKey).update(fingerprintText).digest('hex').slice(0, 16);
  const stateOf = (answer: VaultAnswer & { isReady: boolean; aheadMs: number }) => {
    if (answer.mode !== undefined && answer.mode !== settings.mode) return 'another mode';
    if (answer.key !== undefined && answer.key !== key) return 'another shared key';
    if (Math.abs(answer.aheadMs) > mostSkewMs) return 'another time';
    return answer.isReady ? 'ready' : 'not ready';
  };
  const pool = new Pool(new URL(settings.internalUrl).origin, {
    connections: 16,
    connect: { timeout: 1000 },
    maxResponseSize: 16_384,
  });
  const send = async (path: string, call: object): Promise<{ status: number; body: unknown }> => {
    const body = JSON.stringify(call);
    const time = Date.now();
    const mac = createHmac('sha256', sharedKey)
      .update(`${time}.POST ${path}.${body}`)
      .digest('hex');
    const headers = {
      'content-type': 'application/json',
      [internalSignatureHeader]: `t=${time},v1=${mac}`,
    };
    const { status, text } = await sendAndRead(
      pool,
      { method: 'POST', path, headers, body },
      answerMs,
    );
    return { status, body: JSON.parse(text) };
  };
  return {
    ...mountSigner(settings),
    isTokenOf: (token, sessionId) => isTokenOf(token, sessionId, sharedKey),

    async redeem(call) {
      try {
        const { status, body } = await send(redeemPath, call);
        return readRedemption(status, body);
      } catch {
        return { kind: 'in_doubt', cause: 'vault_unreachable' };
      }
    },

    async forget(call) {
      try {
        const { status } = await send(forgetPath, call);
        if (status === 200) return { kind: 'confirmed' };
        return { kind: 'in_doubt', cause: `vault_answered_${status}` };
      } catch {
        return { kind: 'in_doubt', cause: 'vault_unreachable' };
      }
    },

    async look() {
      const asked = Date.now();
      const headers = { [agreementHeader]: writeTold({ key, time: asked }) };
      try {
        const call = { method: 'GET', path: '/readyz', headers } as const;
        const { status, text } = await sendAndRead(pool, call, readyMs);
        const answer = JSON.parse(text) as VaultAnswer;
        const aheadMs = leastAhead(answer.time, { asked, heard: Date.now() });
        return { state: stateOf({ ...answer, isReady: status === 200, aheadMs }), aheadMs };
      } catch {
        return { state: 'unreachable', aheadMs: 0 };
      }
    },

    close: () => pool.close(),
  };
}

/** A vault of the previous version does not tell key and time. */
type VaultAnswer = { readonly mode?: Mode } & Partial<Told>;

/** Returns the offset that the way there and back cannot explain. */
function leastAhead(
  time: number | undefined,
  { asked, heard }: { readonly asked: number; readonly heard: number },
): number {
  if (time === undefined) return 0;
  return time > heard ? time - heard : Math.min(0, time - asked);
}

const tokenBytes = 32;

function isTokenOf(token: string, sessionId: string, key: Buffer): boolean {
  const text = token.slice(cardTokenPrefix.length);
  const bytes = token.startsWith(cardTokenPrefix) && parseBase64url(text);
  if (!bytes || bytes.length !== tokenBytes) return false;
  const random = bytes.subarray(0, 16).toString('base64url');
  const mark = createHmac('sha256', key)
    .update(`card-token\n${sessionId.toLowerCase()}\n${random}`)
    .digest()
    .subarray(0, 16);
  return timingSafeEqual(bytes.subarray(16), mark);
}

/** Signs what opens the card form: a token for each session, the list of parent pages for each client. */
function mountSigner(settings: VaultSettings): Pick<Vault, 'formUrl' | 'mount'> {
  // A key object, because signing with raw bytes takes five times as long.
  const secret = createSecretKey(settings.sharedKey);
  const signText = (text: string): string =>
    `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  const encodeJson = (value: unknown): string =>
    Buffer.from(JSON.stringify(value)).toString('base64url');

  const kept = new Map<string, Parents>();
  /** Returns the list with its signature, which also goes into the mount token: the two belong together. */
  const parentsOf = (allowedOrigins: readonly string[]): Parents => {
    const key = allowedOrigins.join(' ');
    const known = kept.get(key);
    if (known) return known;
    if (kept.size >= mostKept) kept.clear();
    const text = signText(
      encodeJson([
        settings.checkoutOrigin,
        ...allowedOrigins.filter((origin) => origin !== settings.checkoutOrigin),
        ...(settings.mode === 'live' ? [] : loopbackOrigins),
      ]),
    );
    const parents = {
      query: encodeURIComponent(text),
      signature: text.slice(text.indexOf('.') + 1),
    };
    kept.set(key, parents);
    return parents;
  };

  const urlFor = ({ query }: Parents): string =>
    `${settings.formOrigin}/form/${formProtocol}?parents=${query}`;

  const mount: Vault['mount'] = (call) => {
    const { sessionId, clientId, publishableKey, livemode, allowedOrigins, now, due } = call;
    // A sandbox cannot move the vault's clock: if our clock is behind it, the vault's time counts.
    const fromMs =
      settings.mode === 'sandbox' ? Math.max(now.getTime(), Date.now()) : now.getTime();
    const expiresAt = Math.floor(fromMs / 1000) + mountSeconds;
    const parents = parentsOf(allowedOrigins);
    const claims: MountClaims = {
      sessionId,
      clientId,
      publishableKey,
      livemode,
      parents: parents.signature,
      expiresAt,
      ...(due ? shownAmountDue(due) : {}),
    };
    return {
      formUrl: urlFor(parents),
      formOrigin: settings.formOrigin,
      mountToken: signText(`svcm_${encodeJson(claims)}`),
      expiresAt: new Date(expiresAt * 1000).toISOString(),
      fields: ['number', 'expiry', 'cvc'],
    };
  };
  return { formUrl: (allowedOrigins) => urlFor(parentsOf(allowedOrigins)), mount };
}

/** Nothing where the provider cannot count the amount. */
function shownAmountDue({ amountMinor, currency }: { amountMinor: number; currency: string }) {
  const amount = shiftByTens(amountMinor, cardShift(currency));
  return Number.isInteger(amount) ? { amount, currency } : {};
}

function readRedemption(status: number, body: unknown): Redemption {
  if (status === 200) return { kind: 'redeemed', card: body as RedeemedCard };
  const { code } = body as { code?: string };
  const isRefusal = (redeemRefusals as readonly string[]).includes(code ?? '');
  if (status === 409 && isRefusal) return { kind: 'refused', code: code as RedeemRefusal };
  return { kind: 'in_doubt', cause: `vault_answered_${status}` };
}
