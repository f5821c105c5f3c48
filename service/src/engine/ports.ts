// The ports of the process, and its callers, as types only. Rooms that implement a port import this
// file and nothing else of the engine.

import type { Role } from '@svc/contract/rows/roles';
import type { Mode } from '@svc/contract/servers/modes';
import type {
  ForgetCard,
  RedeemCardToken,
  RedeemedCard,
  RedeemRefusal,
} from '@svc/contract/vault/vault';
import type { AttemptLimits } from '../domain/people/attempt-limits.ts';
import type { Installations } from '../domain/protocol/marks.ts';
import type { KeepDays } from '../domain/protocol/retention.ts';
import type { CreateKey } from '../storage/checkout-sessions/kept-answers.ts';
import type { PageMaker } from '../storage/customers/customer-pages.ts';
import type { Database, Tx } from '../storage/database/database.ts';
import type { InstallationSecrets } from '../storage/database/installation-secrets.ts';
import type { RunReport, StandbyState } from '../storage/database/reads.ts';
import type { Sealed } from '../storage/database/sealed.ts';
import type { MethodKeeper } from './method-ports.ts';
import type { PaceLimits, Urgency } from './pace-ports.ts';
import type { Notice, PrepareOrderCall, Provider, ReceivedNotice } from './provider-ports.ts';

export type * from './method-ports.ts';
export type * from './pace-ports.ts';
export type * from './provider-ports.ts';

export type { Role };

/** The key of a call that creates something, and how its answer is written. */
export type CreateOnce = CreateKey & {
  readonly write: (answer: { readonly status: number; readonly body: unknown }) => string;
};

/** The caller, authenticated before the operation runs. Spec: Authentication. */
export type Caller = (
  | {
      readonly kind: 'server';
      /** The credential: Client Basic, a Bearer token of the OAuth server, or a person's browser. */
      readonly via: 'token' | 'oauth' | 'person';
      readonly clientId: string;
      /** The person behind the credential: the token's owner, who gave the consent, or who is signed in. */
      readonly userId: string;
      /** The id of the API token, the OAuth grant or the sign-in. */
      readonly tokenId: string;
      /** The OAuth client that acts; absent for the other credentials. */
      readonly applicationId?: string;
      /** Set where the person at the browser proved a moment ago who they are. Contract §6. */
      readonly isProofRecent?: true;
      /** Set for an access token that was issued for /mcp alone. RFC 8707. */
      readonly isForAgents?: true;
      readonly role: Role;
      /** The scopes of the credential; null: everything that the role may do. */
      readonly scopes: readonly string[] | null;
      /** The call's key, where it creates something. */
      readonly once?: CreateOnce;
      /**
       * Set where the token came from a cache and was not read. The operation's own statement then
       * checks by this digest that it is valid; where the statement refuses, `confirm` finds out
       * whether the token is the reason.
       */
      readonly recalled?: { readonly tokenSha256: Buffer; readonly confirm: () => Promise<void> };
    }
  /** A person in a browser, for that person's own account. Contract §6. */
  | { readonly kind: 'person'; readonly userId: string; readonly signInId: string }
  /** A browser with a session's nonce; the operation finds the session by the digest. */
  | {
      readonly kind: 'session';
      readonly nonceSha256: Buffer;
      /** The merchant's credential in the same request, where the row accepts both. */
      readonly merchant?: Caller;
      /** The language and region that the browser asks for, as `de-AT`; null where none has texts. */
      readonly locale?: string | null;
    }
  /** The customer of an opened page, who may manage only the customer's own cards. docs/decisions/hosted-pages.md. */
  | {
      readonly kind: 'customer';
      readonly clientId: string;
      readonly userId: string;
      readonly pageId: string;
      /** Who made the page's link; null: the service, for a mail to the customer. */
      readonly maker: PageMaker | null;
    }
  | {
      readonly kind: 'anonymous';
      /** A sign-in of this browser that still lacks its second factor; it gives no rights. */
      readonly halfOpen?: { readonly signInId: string; readonly userId: string };
    }
) & {
  readonly requestId: string;
  /** The page's origin, where the browser sent one. */
  readonly origin: string | null;
  /** Network address and browser, for the audit log; absent in calls from within the service. */
  readonly address?: string;
  readonly userAgent?: string;
  /**
   * For answers that wait: aborts when the caller does not wait any more. Absent in calls from
   * within the service.
   */
  readonly gone?: AbortSignal;
  /**
   * Called before a new attempt to pay begins; throws rate_limited. Absent where attempts are not
   * counted.
   */
  readonly countAttempt?: () => void;
};

export type Gateway = {
  readonly id: string;
  readonly clientId: string;
  readonly provider: 'cardprovider' | 'wallet';
  readonly accountId: string;
  readonly publishableKey: string;
  readonly secretKey: string;
  /** Whose marks what is made at the account bears; absent where an account is only checked. */
  readonly installations?: Installations;
  /** Limits of the account that its owner has agreed with the provider, in place of the published ones. */
  readonly pace?: Partial<PaceLimits>;
};

export type Redemption =
  | { readonly kind: 'redeemed'; readonly card: RedeemedCard }
  | { readonly kind: 'refused'; readonly code: RedeemRefusal }
  /** There was no answer: repeating with the same operation id is safe. */
  | { readonly kind: 'in_doubt'; readonly cause: string };

export type ForgetOutcome =
  | { readonly kind: 'confirmed' }
  | { readonly kind: 'in_doubt'; readonly cause: string };

export type VaultLook = {
  readonly state:
    | 'ready'
    | 'not ready'
    | 'unreachable'
    | 'another mode'
    | 'another shared key'
    | 'another time';
  /** How far the vault's clock is ahead, in milliseconds, as far as that is certain; negative: behind. */
  readonly aheadMs: number;
};

export type Vault = {
  /**
   * Whether the vault made the token for the session. Pure; it does not check whether the token was
   * used or has expired.
   */
  isTokenOf(token: string, sessionId: string): boolean;
  redeem(call: RedeemCardToken): Promise<Redemption>;
  /** Deletes every token of the provider's method; repeatable. Never throws. */
  forget(call: ForgetCard): Promise<ForgetOutcome>;
  /** Asks the vault whether it is ready and agrees with this process, and tells it key and time. Never throws. */
  look(): Promise<VaultLook>;
  /** Returns the address of the card form for pages of these origins and our own. */
  formUrl(allowedOrigins: readonly string[]): string;
  /** Returns the `vault` block of a session. Contract §3, §4. */
  mount(call: {
    sessionId: string;
    clientId: string;
    publishableKey: string;
    livemode: boolean;
    allowedOrigins: readonly string[];
    now: Date;
    /** What the session's cart comes to; absent where that is not known, or nothing. */
    due?: { readonly amountMinor: number; readonly currency: string } | undefined;
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
  /** The exact bytes, or their text; the signature covers them. */
  readonly body: string | Buffer;
  readonly eventId: string;
  /** The current secret first, then the previous one during a rotation. */
  readonly secrets: readonly string[];
  /** The time in the signature. */
  readonly now: Date;
  /** The number that labels a redelivery; 0 or absent: it is none. */
  readonly redelivery?: number;
  /** Calls with the same name and URL may share a connection; absent: a connection of its own. */
  readonly connection?: string;
};

/**
 * The receiver's answer. `status` null: there was none. `error` is one of our own short codes.
 * `sendWebhook` never throws.
 */
export type WebhookAnswer = {
  readonly status: number | null;
  readonly error: string | null;
  readonly excerpt: string | null;
  readonly retryAfterSeconds: number | null;
  readonly durationMs: number;
};

export type OperatorMessage = { readonly id: string; readonly body: string };

/** A mail as it is sent; `id` becomes its Message-ID. */
export type MailSend = {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
};

/** `error` is a short code, never the server's message. */
export type MailAnswer =
  | { readonly kind: 'sent' }
  /** The server rejects the mail for good. */
  | { readonly kind: 'refused'; readonly error: string }
  | { readonly kind: 'failed'; readonly error: string };

export type Mail = {
  /** Hands one mail to the SMTP server. Never throws. */
  send(mail: MailSend): Promise<MailAnswer>;
  /** Connects and signs in; returns the codes of the failure, null where there is none. Never throws. */
  check(): Promise<string | null>;
};

/** The sandbox's answer to a control call; null: there was none. */
export type SandboxAnswer = { readonly status: number; readonly body: unknown } | null;

/** The controls of the sandbox that stands in for the providers. Contract §13. */
export type SandboxControl = {
  /** `path` stands below the controls' own. Never throws. */
  call(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<SandboxAnswer>;
};

/** The settings that operations need. */
export type PublicSettings = {
  /** How long a lease holder may work on an operation before another takes over. */
  readonly leaseMs: number;
  /** How long a request waits for the lease of another; absent: `steps/pacing/wait-for-lease.ts`. */
  readonly leaseWaitMs?: number;
  /** How many payments a bounded comparison reads; absent: `runs/reconcile/run-bounded.ts`. */
  readonly reconcileLimits?: { readonly newest: number; readonly others: number };
  readonly baseUrl: string;
  readonly checkoutUrl: string;
  readonly mode: Mode;
  /** Whether the mode is `live`; shown as `livemode`. */
  readonly isLive: boolean;
  /** The limits on attempts; null for benchmarks and soaks. Contract §10. */
  readonly attemptLimits: AttemptLimits | null;
  /** Origin of the card form; empty where only commands run. */
  readonly formOrigin: string;
  /**
   * The address to which the service writes about problems that no merchant can solve; absent or
   * null: nobody.
   */
  readonly operatorEmail?: string | null;
  readonly keepDays: KeepDays;
};

/** Why a provider's notice is refused. Its sender is told none of these. */
export type NoticeFault =
  /** No secret is stored to verify it with. */
  | 'no_secret'
  /** There is no signature, or none that our secret makes. */
  | 'wrong_secret'
  /** The notice is signed with our secret, for a time more than five minutes from ours. */
  | 'old_timestamp'
  | 'other_account'
  /** It is of the sandbox or test mode at a live gateway, or the other way round. */
  | 'other_mode'
  /** The notice names its object, but does not contain it. */
  | 'thin_event'
  | 'not_understood';

/** An account at the card provider that is to be checked. */
export type AccountToCheck = {
  readonly gateway: Gateway;
  readonly mode: Mode;
  /** The address for its notices; null: the gateway does not exist yet, so no webhook can point to it. */
  readonly noticeUrl: string | null;
  readonly hasNoticeSecret: boolean;
};

/** The type of a notice that a check sends to the service's own address; it is verified and not stored. */
export const ownNoticeType = 'svc.check';

/** A notice of that type. */
export type NoticeToTry = {
  readonly noticeUrl: string;
  readonly secret: string;
  readonly isLive: boolean;
  readonly id: string;
};

/** The result of one check; `note` is worth knowing and prevents nothing. */
export type AccountCheck = {
  readonly what: string;
  readonly verdict: 'good' | 'note' | 'wrong';
  readonly said: string;
  /** Only where the provider refused the secret key itself. */
  readonly keyRefusal?: { readonly status: number; readonly requestId: string | null };
};

export type OpenedWebhook =
  | { readonly kind: 'made'; readonly secret: string }
  | { readonly kind: 'refused'; readonly said: string };

/**
 * The checks and changes that the operator makes at an account of the card provider. No function
 * throws.
 */
export type AccountDesk = {
  /** Checks keys, rights and webhook. It creates and cancels one setup intent, and changes nothing else. */
  check(wish: AccountToCheck): Promise<readonly AccountCheck[]>;
  /** Sends a signed notice of our own to the public address of a gateway's notices. */
  tryNotice(notice: NoticeToTry): Promise<AccountCheck>;
  /** Creates the webhook endpoint for our notices. */
  openWebhook(gateway: Gateway, noticeUrl: string): Promise<OpenedWebhook>;
};

/**
 * The ports of the service: few, and each with much behind it. The architecture uses no dependency
 * container.
 */
export type Ports = {
  readonly database: Database;
  /** Runs the reads of a report on the standby, where there is one. */
  readonly report: RunReport;
  /** What the address of the standby leads to; null where none is named. */
  standby(): Promise<StandbyState | null>;
  readonly settings: PublicSettings;
  /** `urgency`: who waits for its calls; absent: as each call tells by itself. */
  provider(gateway: Gateway, urgency?: Urgency): Provider;
  /** Customers and saved methods at the gateway's provider. */
  methodKeeper(gateway: Gateway): MethodKeeper;
  /**
   * Prepares a wallet's order that the buyer may approve; null when there is none. No money moves,
   * and the same payment gets the same order.
   */
  prepareOrder(gateway: Gateway, call: PrepareOrderCall): Promise<string | null>;
  /** Verifies a provider's notice; returns the reason when it is refused. It may fetch a certificate. */
  parseNotice(
    gateway: Pick<Gateway, 'provider' | 'accountId'>,
    received: ReceivedNotice,
  ): Promise<Notice | NoticeFault>;
  readonly accounts: AccountDesk;
  readonly vault: Vault;
  /** Makes one delivery attempt to a merchant's endpoint. Contract §7. */
  sendWebhook(call: WebhookSend): Promise<WebhookAnswer>;
  /** Returns why nothing can ever be delivered to this URL; null when it is acceptable. */
  judgeWebhookUrl(url: string): Promise<'url_refused' | 'address_refused' | null>;
  /** Sends a message to the operator's own URL, by the rules of deliveries; null where none is set. Never throws. */
  readonly sendAlert: ((message: OperatorMessage) => Promise<WebhookAnswer>) | null;
  /** Returns when the certificate at an https address ends, in ms since 1970. Throws where TLS fails. */
  certificateEnd(url: string): Promise<number>;
  /** Null where no SMTP server is set: mails can then be read on this machine. */
  readonly mail: Mail | null;
  /** Null in test and live mode, where no provider has such controls. */
  readonly sandbox: SandboxControl | null;
  /** Encrypts and decrypts stored secrets. Reliability §5.7. */
  readonly sealed: Sealed;
  /** The same for secrets that belong to no client. */
  readonly sealedHere: InstallationSecrets;
  /** Returns a UUID v7. */
  newId(): string;
  randomBytes(size: number): Buffer;
  /** For tests: the `ln` of a password's scrypt string. The product's own cost where there is none. */
  readonly passwordCost?: number;
  /** The real time, which people's phones have and no sandbox moves. */
  phoneTime(tx: Tx): Promise<Date>;
  /** Wakes a worker after a commit. Losing the call is harmless, because workers also poll. */
  nudge(
    worker:
      | 'settle-in-doubt'
      | 'deliver-webhooks'
      | 'read-notices'
      | 'make-exports'
      | 'mail-buyers'
      | 'moved-clock',
  ): void;
};
