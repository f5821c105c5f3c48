// What the plugin is told: keys of each channel, checked when the shop starts, in words that say what mends it.

import { Svc } from '@svc/server';
import { ShopPayments } from '@svc/server/shops';

export type SvcKeys = {
  clientId: string;
  apiToken: string;
  /** Of the endpoint at Svc that delivers to /svc/webhook of this shop. */
  webhookSecret: string;
};

export type SvcPluginOptions = SvcKeys & {
  /** Address of Svc. */
  baseUrl: string;
  /** Keys of channels with a merchant of their own, by the channel's token; their endpoint: /svc/webhook/<token>. */
  channels?: Record<string, SvcKeys>;
  /** `manual` (default) holds the money until the payment is settled in the shop; `automatic` takes it at once. */
  captureMethod?: 'manual' | 'automatic';
  /** Where the buyer returns to; `{code}` is the order's code. */
  successUrl?: string;
  cancelUrl?: string;
};

/** One merchant of Svc, with the calls that the plugin makes for it. */
export type Account = {
  /** The token of the channel with these keys of its own; undefined for the usual ones. */
  readonly channel: string | undefined;
  readonly svc: Svc;
  readonly payments: ShopPayments;
  readonly webhookSecret: string;
};

/** The accounts by channel. Throws for keys that cannot work, before the shop starts. */
export class Accounts {
  readonly options: SvcPluginOptions;
  readonly #usual: Account;
  readonly #own: ReadonlyMap<string, Account>;

  constructor(options: SvcPluginOptions) {
    this.options = options;
    this.#usual = accountOf(options.baseUrl, options);
    this.#own = new Map(
      Object.entries(options.channels ?? {}).map(([token, keys]) => [
        token,
        accountOf(options.baseUrl, keys, token),
      ]),
    );
  }

  /** Every account once. */
  all(): Account[] {
    return [this.#usual, ...this.#own.values()];
  }

  ofChannel(token: string): Account {
    return this.#own.get(token) ?? this.#usual;
  }

  /** The account of a webhook's address; undefined for a channel that has no keys of its own. */
  ofPath(token: string | undefined): Account | undefined {
    return token === undefined ? this.#usual : this.#own.get(token);
  }
}

function accountOf(baseUrl: string, keys: SvcKeys, channel?: string): Account {
  const where = channel === undefined ? 'SvcPlugin.init' : `SvcPlugin.init, channel ${channel}`;
  const { clientId, apiToken, webhookSecret } = keys;
  for (const [name, value] of Object.entries({ baseUrl, clientId, apiToken, webhookSecret })) {
    if (!value) throw new Error(`${where}: ${name} is missing. Is its environment variable set?`);
  }
  if (!webhookSecret.startsWith('svc_whsec_')) {
    throw new Error(
      `${where}: webhookSecret does not begin with svc_whsec_. Take the secret that Svc showed when the endpoint was made, not the card provider's.`,
    );
  }
  const svc = new Svc({
    baseUrl,
    clientId,
    apiToken,
    timeout: 20_000,
    appInfo: { name: 'svc-vendure' },
  });
  return { channel, svc, payments: new ShopPayments(svc), webhookSecret };
}
