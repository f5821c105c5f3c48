// The calls of a purchase, as a shop and its buyer make them over HTTP: session, card form, payment.

export type Shop = {
  readonly apiUrl: string;
  readonly clientId: string;
  readonly apiToken: string;
  readonly productCode: string;
};

export type Call = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
};
/** Sends a call and returns the body of its answer. */
export type Ask = <T>(url: string, call: Call) => Promise<T>;

type Buyer = { readonly userId: string; readonly email: string };
export type Session = {
  readonly id: string;
  readonly nonce: string;
  readonly vault: {
    readonly formUrl: string;
    readonly formOrigin: string;
    readonly mountToken: string;
  };
};

export const buyerOf = (userId: string): Buyer => ({
  userId,
  email: `${userId.slice(0, 13)}@example.com`,
});

export const credentialOf = ({
  clientId,
  apiToken,
}: Pick<Shop, 'clientId' | 'apiToken'>): { authorization: string } => ({
  authorization: `Basic ${Buffer.from(`${clientId}:${apiToken}`).toString('base64')}`,
});

/** `more` is what the session has besides cart and buyer, such as its currency. */
export const sessionCall = (
  { clientId, productCode }: Pick<Shop, 'clientId' | 'productCode'>,
  accountData: Buyer,
  more: Readonly<Record<string, unknown>>,
): object => ({
  ...{ clientId, accountData, products: [{ code: productCode, quantity: 1 }] },
  ...more,
});

/** What the card form sends for a test card. */
export async function tokenise({ vault }: Session, ask: Ask): Promise<string> {
  const { token } = await ask<{ token: string }>(`${vault.formOrigin}/form/tokens`, {
    headers: { origin: vault.formOrigin },
    body: {
      mountToken: vault.mountToken,
      // The token is valid where these pages embed the form.
      parents: new URL(vault.formUrl).searchParams.get('parents')?.split('.')[1],
      ...{ number: '4242424242424242', expiryMonth: 12, cvc: '123' },
      expiryYear: new Date().getUTCFullYear() + 3,
    },
  });
  return token;
}

/** Pays the session with the card behind the token. */
export const payCall = ({ id, nonce }: Session, accountData: Buyer, token: string): Call => ({
  headers: { 'x-checkout-session-token': nonce, 'x-user-id': accountData.userId },
  body: {
    ...{ sessionId: id, accountData },
    tokenizedData: { provider: 'cardprovider', type: 'card', token },
  },
});
