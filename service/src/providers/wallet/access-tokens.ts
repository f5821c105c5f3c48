// The access token of one account: requested when first needed, once for all concurrent callers,
// and kept until a minute before it expires.

import { NeverSent } from '../sending/never-sent.ts';
import type { Transport } from './transport.ts';

export type AccessToken =
  | { readonly kind: 'token'; readonly value: string }
  /** The app's id or secret was refused. */
  | { readonly kind: 'unauthorised' }
  /** No usable answer, so the call that needs the token cannot be sent. */
  | { readonly kind: 'unavailable' };

export type AccessTokens = {
  get(timeoutMs: number): Promise<AccessToken>;
  /** Drops the token that was just refused; a newer one is kept. */
  drop(value: string): void;
};

type App = { readonly clientId: string; readonly clientSecret: string };

const earlyMs = 60_000;

export function openAccessTokens(transport: Transport, app: App): AccessTokens {
  const basic = Buffer.from(`${app.clientId}:${app.clientSecret}`).toString('base64');
  let kept: { value: string; until: number } | undefined;
  let asking: Promise<AccessToken> | undefined;

  const requestToken = async (timeoutMs: number): Promise<AccessToken> => {
    try {
      const { status, text } = await transport.send(
        {
          method: 'POST',
          path: '/v1/oauth2/token',
          headers: {
            authorization: `Basic ${basic}`,
            'content-type': 'application/x-www-form-urlencoded',
          },
          body: 'grant_type=client_credentials',
        },
        timeoutMs,
      );
      if (status === 401) return { kind: 'unauthorised' };
      const granted = status === 200 ? readGrant(text) : null;
      if (!granted) return { kind: 'unavailable' };
      kept = { value: granted.value, until: performance.now() + granted.lifeMs - earlyMs };
      return { kind: 'token', value: granted.value };
    } catch (error) {
      if (!(error instanceof NeverSent)) kept = undefined;
      return { kind: 'unavailable' };
    }
  };

  return {
    get: async (timeoutMs) => {
      if (kept && kept.until > performance.now()) return { kind: 'token', value: kept.value };
      asking ??= requestToken(timeoutMs).finally(() => {
        asking = undefined;
      });
      return asking;
    },
    drop: (value) => {
      if (kept?.value === value) kept = undefined;
    },
  };
}

function readGrant(text: string): { value: string; lifeMs: number } | null {
  try {
    const answer = JSON.parse(text) as Record<string, unknown> | null;
    const { access_token: value, expires_in: seconds } = answer ?? {};
    // A token goes into a header, so only visible ASCII is accepted.
    if (typeof value !== 'string' || !/^[\x21-\x7e]{1,4096}$/.test(value)) return null;
    if (typeof seconds !== 'number' || !(seconds > 0)) return null;
    return { value, lifeMs: Math.min(seconds, 86_400) * 1000 };
  } catch {
    return null;
  }
}
