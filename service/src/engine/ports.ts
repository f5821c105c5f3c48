// What leaves the process, as types, and who calls. Types only: the rooms that implement a port
// import this file and nothing else of operations.

import type { Mode } from '@svc/contract/modes';
import type { ForgetCard, RedeemCardToken, RedeemedCard, RedeemRefusal } from '@svc/contract/vault';
import type { AttemptLimits } from '../domain/people/attempt-limits.ts';
import type { MemberRole } from '../domain/people/member.ts';
import type { Database, Tx } from '../storage/database/database.ts';
import type { InstallationSecrets } from '../storage/database/installation-secrets.ts';
import type { Sealed } from '../storage/database/sealed.ts';
import type {
  MethodKeeper,
  Notice,
  PrepareOrderCall,
  Provider,
  ReceivedNotice,
} from './provider-ports.ts';

export type * from './provider-ports.ts';

export type Role = MemberRole;

/** Who is asking, established before the operation runs. Spec: Authentication. */
export type Caller = (
  | {
      readonly kind: 'server';
      /** How: Client Basic, a Bearer token of the OAuth server, or a person's browser. */
      readonly via: 'token' | 'oauth' | 'person';
      readonly clientId: string;
      /** The person behind: a token's owner, who gave the consent, who is signed in. */
      readonly userId: string;
      /** The API token, the OAuth grant or the sign-in. */
      readonly tokenId: string;
      /** The OAuth client that acts; absent for the other two. */
      readonly applicationId?: string;
      /** Of an access token for /mcp alone; absent for every other credential. RFC 8707. */
      readonly isForAgents?: true;
      readonly role: Role;
      /** Null: all that the role may do. */
      readonly scopes: readonly string[] | null;
      /**
       * Set where the token was recalled and not read. The operation's own statement then asks, by
       * this digest, whether it stands; where it does not, `confirm` tells whether for the token.
       */
      readonly recalled?: { readonly tokenSha256: Buffer; readonly confirm: () => Promise<void> };
    }
  /** A person in a browser, for the own account. Contract §6. */
  | { readonly kind: 'person'; readonly userId: string; readonly signInId: string }
  /** A browser with a session nonce; the operation looks the session up by the hash. */
  | {
      readonly kind: 'session';
      readonly nonceSha256: Buffer;
      /** The merchant's credential that came with it, where the row takes both. */
      readonly merchant?: Caller;
    }
  /** The customer of an opened page, who may do what concerns the own cards. Decision 0056. */
  | {
      readonly kind: 'customer';
      readonly clientId: string;
      readonly userId: string;
      readonly pageId: string;
    }
  | {
      readonly kind: 'anonymous';
      /** A sign-in of this browser that still lacks its second factor; it gives no right. */
      readonly halfOpen?: { readonly signInId: string; readonly userId: string };
    }
) & {
  readonly requestId: string;
  /** The page's origin, where a browser named one. */
  readonly origin: string | null;
  /** Network address and browser, for the audit log; absent in calls from within. */
  readonly address?: string;
  readonly userAgent?: string;
  /** Where an answer may wait: aborts when it is no longer to. Absent in calls from within. */
  readonly gone?: AbortSignal;
  /** Told before a new attempt to pay begins; throws rate_limited. Absent where none is counted. */
  readonly countAttempt?: () => void;
};

export type Gateway = {
  readonly id: string;
  readonly clientId: string;
  readonly provider: 'cardprovider' | 'wallet';
  readonly accountId: string;
  readonly publishableKey: string;
  readonly secretKey: string;
};

export type Redemption =
  | { readonly kind: 'redeemed'; readonly card: RedeemedCard }
  | { readonly kind: 'refused'; readonly code: RedeemRefusal }
  /** No answer: repeating with the same operation id is safe. */
  | { readonly kind: 'in_doubt'; readonly cause: string };

export type Forgetting =
  | { readonly kind: 'confirmed' }
  | { readonly kind: 'in_doubt'; readonly cause: string };

export type Vault = {
  /** Whether the vault made the token for the session; pure, and no word on its use or age. */
  isTokenOf(token: string, sessionId: string): boolean;
  redeem(call: RedeemCardToken): Promise<Redemption>;
  /** Deletes every token that stands for the provider's method; repeatable. Never throws. */
  forget(call: ForgetCard): Promise<Forgetting>;
  /** Whether it says that it serves. Never throws. */
  isReady(): Promise<boolean>;
  /** `vault` block of a session. Contract §3, §4. */
  mount(call: {
    sessionId: string;
    clientId: string;
    publishableKey: string;
    livemode: boolean;
    allowedOrigins: readonly string[];
    now: Date;
  }): {
    formUrl: string;
    formOrigin: string;
    mountToken: string;
    expiresAt: string;
    fields: string[];
  };
};

export type WebhookSend = {
  readonly url: string;
  /** Exact bytes, or their text; the signature covers them. */
  readonly body: string | Buffer;
  readonly eventId: string;
  /** Current secret first; the previous one during a rotation. */
  readonly secrets: readonly string[];
  /** Time for the signature. */
  readonly now: Date;
  /** The number in the label of a redelivery; 0 or absent: none. */
  readonly redelivery?: number;
  /** Calls of the same name and URL may share a connection; absent: one of its own. */
  readonly connection?: string;
};

/** Never throws. `status` null: no answer; `error` is one of our own short words. */
export type WebhookAnswer = {
  readonly status: number | null;
  readonly error: string | null;
  readonly excerpt: string | null;
  readonly retryAfterSeconds: number | null;
  readonly durationMs: number;
};

/** A mail as it leaves; `id` makes its Message-ID. */
export type MailSend = {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
};

/** `error` is a short code, never the server's words. */
export type MailAnswer =
  | { readonly kind: 'sent' }
  /** The server will not take it, now or later. */
  | { readonly kind: 'refused'; readonly error: string }
  | { readonly kind: 'failed'; readonly error: string };

export type Mail = {
  /** Hands one mail to the SMTP server. Never throws. */
  send(mail: MailSend): Promise<MailAnswer>;
};

/** Settings that operations need. */
export type PublicSettings = {
  /** How long a holder may work on an operation before another takes over. */
  readonly leaseMs: number;
  readonly baseUrl: string;
  readonly checkoutUrl: string;
  readonly mode: Mode;
  /** Whether the mode is `live`: what is told as `livemode`. */
  readonly isLive: boolean;
  /** How often one session may be paid; null for benchmarks and soaks. Contract §10. */
  readonly attemptLimits: AttemptLimits | null;
  /** Whom the service writes to about what no merchant can mend; absent or null: nobody. */
  readonly operatorEmail?: string | null;
};

/** Why a provider's notice is not taken. Its sender hears of none of them. */
export type NoticeFault =
  /** No signature, or none that our secret makes. */
  | 'wrong_secret'
  /** Signed with our secret, at a time over five minutes from ours. */
  | 'old_timestamp'
  | 'other_account'
  /** Of the sandbox or of test mode at a live gateway, or the other way round. */
  | 'other_mode'
  /** It names its object, and does not contain it. */
  | 'thin_event'
  | 'not_understood';

/** An account at the card provider that is to be tried. */
export type AccountToCheck = {
  readonly gateway: Gateway;
  readonly mode: Mode;
  /** Where its notices are to go; null: the gateway is not made yet, and nothing can point there. */
  readonly noticeUrl: string | null;
  readonly hasNoticeSecret: boolean;
};

/** One thing that was tried: `note` is worth knowing and hinders nothing. */
export type AccountCheck = {
  readonly what: string;
  readonly verdict: 'good' | 'note' | 'wrong';
  readonly said: string;
};

export type OpenedWebhook =
  | { readonly kind: 'made'; readonly secret: string }
  | { readonly kind: 'refused'; readonly said: string };

/** What the operator asks of an account at the card provider. Neither throws. */
export type AccountDesk = {
  /** Tries keys, rights and webhook. One setup intent is made and cancelled, nothing else. */
  check(wish: AccountToCheck): Promise<readonly AccountCheck[]>;
  /** Makes the webhook endpoint of our notices. */
  openWebhook(gateway: Gateway, noticeUrl: string): Promise<OpenedWebhook>;
};

/** Few and thick. Contract of architecture: no dependency container. */
export type Ports = {
  readonly database: Database;
  readonly settings: PublicSettings;
  provider(gateway: Gateway): Provider;
  /** Customers and saved methods at the gateway's provider. */
  methodKeeper(gateway: Gateway): MethodKeeper;
  /**
   * A wallet's order that the buyer may approve; null when there is none. No money moves, and the
   * same payment gets the same order.
   */
  prepareOrder(gateway: Gateway, call: PrepareOrderCall): Promise<string | null>;
  /** Verifies a provider's notice; else says why it is not taken. May fetch a certificate. */
  parseNotice(
    gateway: Pick<Gateway, 'provider' | 'accountId'>,
    received: ReceivedNotice,
  ): Promise<Notice | NoticeFault>;
  readonly accounts: AccountDesk;
  readonly vault: Vault;
  /** One delivery attempt to a merchant's endpoint. Contract §7. */
  sendWebhook(call: WebhookSend): Promise<WebhookAnswer>;
  /** Why nothing can ever be delivered to this URL; null when it may be kept. */
  judgeWebhookUrl(url: string): Promise<'url_refused' | 'address_refused' | null>;
  /** Null where no SMTP server is set: mails wait to be read on this machine. */
  readonly mail: Mail | null;
  /** Seals and opens secrets at rest. Reliability: envelope encryption. */
  readonly sealed: Sealed;
  /** The same for secrets that belong to no client. */
  readonly sealedHere: InstallationSecrets;
  /** UUID v7. */
  newId(): string;
  randomBytes(size: number): Buffer;
  /** The time that people's phones have, which no sandbox moves. */
  phoneTime(tx: Tx): Promise<Date>;
  /** Wakes a worker after a commit; safe to lose, workers also poll. */
  nudge(worker: 'settle-in-doubt' | 'deliver-webhooks' | 'read-notices' | 'moved-clock'): void;
};
