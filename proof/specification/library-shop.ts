// A shop whose page uses the browser library over HTTP with the whole service; its calls are
// recorded.

import { PaymentAPI } from '../../libraries/browser/src/api/payment-api.ts';
import type { PaymentApiOptions } from '../../libraries/browser/src/api/session-api.ts';
import { SvcError } from '../../libraries/browser/src/api/svc-error.ts';
import type { SessionDraft } from '../../libraries/browser/src/api/two-phases.ts';
import { newId } from '../../service/test/harness.ts';
import { email, mug, openShop, sessions } from './shop.ts';

type RecordedCall = { readonly call: string; readonly status: number; readonly text: string };
export type Session = Awaited<ReturnType<PaymentAPI['createAndFetchSession']>>;

export type LibraryShop = Awaited<ReturnType<typeof openLibraryShop>>;

export async function openLibraryShop() {
  const shop = await openShop();
  const baseUrl = await shop.app.listen({ host: '127.0.0.1', port: 0 });
  return {
    ...shop,
    baseUrl,
    /**
     * Returns the library with recorded calls; `losing` is the number of responses to claims that
     * are lost.
     */
    library: (given: PaymentApiOptions & { losing?: number } = {}) => aLibrary(baseUrl, given),
    aDraft: (more: Partial<SessionDraft> = {}): SessionDraft => ({
      clientId: shop.client.id,
      ...aPayload(),
      ...more,
    }),
    /** Returns the fields for process, with a card of the card form. */
    async cardOf(session: Session, number?: string) {
      const token = await shop.card(checkoutOf(session), number);
      return {
        sessionId: session.id,
        tokenizedData: { provider: 'cardprovider', type: 'card', token },
        accountData: session.accountData ?? { userId: '', email: '' },
      } as const;
    },
  };
}

/** Returns the body of a claim. */
export const aPayload = () => ({
  currency: 'EUR',
  products: [mug],
  accountData: { userId: newId(), email },
});

function aLibrary(
  baseUrl: string,
  { losing = 0, ...options }: PaymentApiOptions & { losing?: number },
) {
  const asked: RecordedCall[] = [];
  let left = losing;
  const api = new PaymentAPI(`${baseUrl}//`, {
    async fetch(url, init) {
      const response = await fetch(url, init);
      const path = url.slice(baseUrl.length).replace(/[0-9a-f-]{36}/, '{id}');
      const { method = '' } = init;
      asked.push({ call: `${method} ${path}`, status: response.status, text: `${init.body}` });
      if (!path.endsWith('/claim') || left === 0) return response;
      left -= 1;
      await response.arrayBuffer();
      throw new TypeError('Failed to fetch');
    },
    ...options,
  });
  return { api, asked, calls: () => asked.map(({ call }) => call) };
}

export const checkoutOf = ({ id, nonce, vault, accountData }: Session) => ({
  sessionId: id,
  nonce,
  mountToken: vault?.mountToken ?? '',
  userId: accountData?.userId ?? '',
});

/** Returns the error of a failing library call. */
export async function failure(call: Promise<unknown>): Promise<SvcError> {
  const error = await call.then(
    () => null,
    (cause: unknown) => cause,
  );
  if (error instanceof SvcError) return error;
  throw new Error(`no SvcError but ${String(error)}`);
}

export const twoPhaseCalls = [`POST ${sessions}`, `PATCH ${sessions}/{id}/claim`];
/** Display data of the mug that differ from the catalog's. */
export const shownMug = {
  code: 'mug',
  name: 'Cup',
  totalAmount: 1,
  overrideAmount: 7,
  currency: 'EUR',
};
