// One merchant's account at the sandbox provider, seen from outside: its controls, its events, its
// records.

import { request } from 'undici';
import type { Movement } from '../chaos/audit.ts';

export type ProviderEvent = {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly object: { readonly id: string; readonly payment_intent?: unknown } };
};

export type LedgerEntry = Movement & { readonly metadata: Readonly<Record<string, string>> };

type Keys = Record<'accountId' | 'secretKey' | 'publishableKey', string>;

export class ProviderAccount {
  readonly #url: string;
  readonly accountId: string;
  readonly secretKey: string;
  readonly publishableKey: string;

  private constructor(url: string, keys: Keys) {
    this.#url = url;
    this.accountId = keys.accountId;
    this.secretKey = keys.secretKey;
    this.publishableKey = keys.publishableKey;
  }

  static async open(url: string, name: string): Promise<ProviderAccount> {
    const keys = await requestControl(url, 'POST', '/_control/accounts', { body: { name } });
    return new ProviderAccount(url, keys as Keys);
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
  async act(path: string): Promise<boolean> {
    return requestControl(this.#url, 'POST', `/_control/${path}`, { body: {} }).then(
      () => true,
      () => false,
    );
  }

  /** Answers the bank's challenge for an intent as the buyer. */
  async answerChallenge(intent: string, outcome: 'approve' | 'fail'): Promise<void> {
    const { body } = await request(`${this.#url}/3ds/${intent}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `outcome=${outcome}`,
    });
    await body.dump();
  }

  async makeCard(number: string): Promise<string> {
    const form = new URLSearchParams({
      type: 'card',
      'card[number]': number,
      'card[exp_month]': '12',
      'card[exp_year]': '2034',
      'card[cvc]': '123',
    });
    const made = await requestControl(this.#url, 'POST', '/v1/payment_methods', {
      key: this.publishableKey,
      form,
    });
    return (made as { id: string }).id;
  }

  /** Returns the events, the oldest first. */
  async events(): Promise<ProviderEvent[]> {
    const page = await requestControl(this.#url, 'GET', '/v1/events?limit=100', {
      key: this.secretKey,
    });
    return (page as { data: ProviderEvent[] }).data.reverse();
  }

  async ledger(): Promise<LedgerEntry[]> {
    const path = `/_control/ledger?account=${this.accountId}`;
    return ((await requestControl(this.#url, 'GET', path)) as { entries: LedgerEntry[] }).entries;
  }
}

type ControlRequest = {
  readonly body?: object;
  readonly form?: URLSearchParams;
  readonly key?: string;
};

async function requestControl(
  url: string,
  method: 'GET' | 'POST',
  path: string,
  given: ControlRequest = {},
) {
  const text = given.form ? String(given.form) : given.body && JSON.stringify(given.body);
  const type = given.form ? 'application/x-www-form-urlencoded' : 'application/json';
  const { statusCode, body } = await request(url + path, {
    method,
    headers: {
      ...(text === undefined ? {} : { 'content-type': type }),
      ...(given.key ? { authorization: `Bearer ${given.key}` } : {}),
    },
    body: text ?? null,
  });
  const answer = await body.text();
  if (statusCode >= 300) throw new Error(`${path}: ${statusCode} ${answer}`);
  return JSON.parse(answer) as unknown;
}
