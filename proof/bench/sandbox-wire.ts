// The few calls of the card provider that the bench makes itself.

import { Pool } from 'undici';

export type SandboxAccount = {
  readonly accountId: string;
  readonly secretKey: string;
  readonly publishableKey: string;
  /** Creates an intent whose hold can be captured, and returns its id. */
  holdIntent(): Promise<string>;
  /** Captures the intent and returns the text of the response. */
  captureIntent(intent: string): Promise<string>;
  /** Lets the account's card form send numbers. */
  allowRawCards(): Promise<unknown>;
  close(): Promise<void>;
};

/** Opens the bench's account at a running sandbox. */
export async function openSandboxAccount(url: string): Promise<SandboxAccount> {
  const pool = new Pool(url, { connections: 16 });
  const post = async (path: string, headers: Record<string, string>, body: string) => {
    const answer = await pool.request({ method: 'POST', path, headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`the sandbox answered ${path}: ${text}`);
    return text;
  };
  const control = (path: string, body: object) =>
    post(`/_control/${path}`, { 'content-type': 'application/json' }, JSON.stringify(body));
  const keys = JSON.parse(await control('accounts', { name: 'bench' })) as Pick<
    SandboxAccount,
    'accountId' | 'secretKey' | 'publishableKey'
  >;
  const form = {
    authorization: `Bearer ${keys.secretKey}`,
    'content-type': 'application/x-www-form-urlencoded',
  };
  const hold = new URLSearchParams({
    amount: '1990',
    currency: 'eur',
    capture_method: 'manual',
    confirm: 'true',
    payment_method: 'pm_card_visa',
    'allowed_payment_method_types[0]': 'card',
  }).toString();
  return {
    ...keys,
    async holdIntent() {
      const { id, status } = JSON.parse(await post('/v1/payment_intents', form, hold)) as {
        id: string;
        status: string;
      };
      if (status !== 'requires_capture') throw new Error(`the sandbox gave no hold: ${status}`);
      return id;
    },
    captureIntent: (intent) =>
      post(
        `/v1/payment_intents/${intent}/capture`,
        form,
        'expand[0]=latest_charge.balance_transaction',
      ),
    allowRawCards: () =>
      control('accounts/raw-cards', { account: keys.accountId, setting: 'allowed' }),
    close: () => pool.close(),
  };
}
