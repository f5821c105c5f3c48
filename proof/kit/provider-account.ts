// One merchant's account at the sandbox provider, seen from outside: its controls, its events, its
// records.

import { request } from 'undici';
import { runOutside } from './scheduler.ts';

export type ProviderEvent = {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly object: { readonly id: string; readonly payment_intent?: unknown } };
};

export type LedgerEntry = {
  readonly kind: string;
  readonly intent: string | null;
  readonly amount: number;
  readonly idempotencyKey: string | null;
  readonly origin: string;
  readonly metadata: Readonly<Record<string, string>>;
};

type Keys = Record<'accountId' | 'secretKey' | 'publishableKey', string>;

export class ProviderAccount {
  readonly #url: string;
  readonly accountId: string;
  readonly secretKey: string;
  readonly publishableKey: string;

  constructor(url: string, keys: Keys) {
    this.#url = url;
    this.accountId = keys.accountId;
    this.secretKey = keys.secretKey;
    this.publishableKey = keys.publishableKey;
  }

  static async open(url: string, name: string): Promise<ProviderAccount> {
    const keys = await requestControl(url, 'POST', '/_control/accounts', { body: { name } });
    return new ProviderAccount(url, keys as unknown as Keys);
  }

  get host(): string {
    return new URL(this.#url).hostname;
  }

  get port(): string {
    return new URL(this.#url).port;
  }

  /** Adds a fault for the next call of this account. */
  async arm(action: string, more: object = {}): Promise<void> {
    const match = { account: this.accountId };
    await requestControl(this.#url, 'POST', '/_control/faults', {
      body: { match, action, ...more },
    });
  }

  /**
   * Makes a change in the provider's dashboard. Returns false when the change is not possible,
   * which is not an error.
   */
  act(path: string, body: object = {}): Promise<boolean> {
    return requestControl(this.#url, 'POST', `/_control/${path}`, { body }).then(
      () => true,
      () => false,
    );
  }

  /**
   * Answers the bank's challenge for an intent as its page does. Returns false when no challenge
   * waits.
   */
  async answerChallenge(intent: string, outcome: 'approve' | 'fail' | 'cancel'): Promise<boolean> {
    const { statusCode, body } = await runOutside(() =>
      request(`${this.#url}/3ds/${intent}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `outcome=${outcome}`,
      }),
    );
    await body.dump();
    return statusCode < 400;
  }

  async makeCard(number: string): Promise<string> {
    const made = await this.post('/v1/payment_methods', {
      type: 'card',
      'card[number]': number,
      'card[exp_month]': '12',
      'card[exp_year]': '2034',
      'card[cvc]': '123',
    });
    return String(made.id);
  }

  /** Posts a form as a page does; the answer may be an error. */
  post(path: string, fields: Record<string, string>): Promise<Record<string, unknown>> {
    const form = new URLSearchParams(fields);
    return requestControl(this.#url, 'POST', path, { key: this.publishableKey, form });
  }

  /** Reads an object as a server does. */
  get(path: string): Promise<Record<string, unknown>> {
    return requestControl(this.#url, 'GET', path, { key: this.secretKey });
  }

  /** Returns the events, the oldest first. */
  async events(): Promise<ProviderEvent[]> {
    return ((await this.get('/v1/events?limit=100')).data as ProviderEvent[]).reverse();
  }

  async ledger(): Promise<LedgerEntry[]> {
    const path = `/_control/ledger?account=${this.accountId}`;
    return (await requestControl(this.#url, 'GET', path)).entries as LedgerEntry[];
  }
}

type ControlRequest = {
  readonly body?: object;
  readonly form?: URLSearchParams;
  readonly key?: string;
};

/** Throws when a control is refused; the API's own errors are answers. */
function requestControl(
  url: string,
  method: 'GET' | 'POST',
  path: string,
  given: ControlRequest = {},
): Promise<Record<string, unknown>> {
  const text = given.form ? String(given.form) : given.body && JSON.stringify(given.body);
  const type = given.form ? 'application/x-www-form-urlencoded' : 'application/json';
  return runOutside(async () => {
    const { statusCode, body } = await request(url + path, {
      method,
      headers: {
        ...(text === undefined ? {} : { 'content-type': type }),
        ...(given.key ? { authorization: `Bearer ${given.key}` } : {}),
      },
      body: text ?? null,
    });
    const answer = await body.text();
    if (statusCode >= 300 && !given.key) throw new Error(`${path}: ${statusCode} ${answer}`);
    return JSON.parse(answer) as Record<string, unknown>;
  });
}
