// The calls to a provider and its possible answers, as types only. Rooms that implement it import
// `ports.ts`, which exports all of them.

import type { Balance, ReportedReversal } from '../domain/payments/balance.ts';
import type { ProviderDispute, ProviderSignal, SignalKind } from '../domain/payments/dispute.ts';
import type { ProviderFacts } from '../domain/payments/provider-facts.ts';
import type { Maker, Marks } from '../domain/protocol/marks.ts';

/** The parts of a provider's answer that the attempt log keeps. Never raw bodies or messages. */
export type Trace = {
  readonly httpStatus: number | null;
  readonly providerCode: string | null;
  readonly requestId: string | null;
};

/** The provider's state of one intent, in our terms. */
export type ProviderPayment = ProviderFacts & {
  readonly intentId: string;
  /** There was a hold before the intent was released. */
  readonly wasHeld?: boolean;
  /** The sum of the provider's refunds so far, including pending ones. */
  readonly refundedMinor?: number;
  /** The charge was disputed at some time, however that ended. */
  readonly isDisputed?: boolean;
  /** Why the last confirmation failed; absent when there was none, or it succeeded. */
  readonly lastFailure?: {
    readonly code: string;
    readonly declineCode: string | null;
    readonly advice?: Advice;
    /** The provider's own message, without card data. */
    readonly message?: string | null;
    readonly cardCountry?: string;
  };
  /** What the provider has saved for later charges, where the payment was to save its method. */
  readonly saved?: {
    readonly customerId: string;
    readonly providerPaymentMethodId: string;
    readonly payerEmail: string | null;
  };
};

/** A payment with our marks, and the facts that are read with it. */
export type MarkedPayment = ProviderPayment & {
  readonly marks: Marks;
  readonly maker: Maker;
  readonly captureMethod: 'automatic' | 'manual';
  /** The provider's customer, where it names one. */
  readonly customerId: string | null;
  readonly payerEmail: string | null;
};

/** `foreign`: it exists, and other software made it. */
export type MarkedReading = { readonly trace: Trace } & (
  | { readonly kind: 'found'; readonly payment: MarkedPayment }
  | { readonly kind: 'foreign' | 'missing' }
  | { readonly kind: 'in_doubt'; readonly cause: string }
);

/** One page of the objects that were made at the provider in a span of its time and carry our marks. */
export type OwnObjectsPage = { readonly trace: Trace } & (
  | {
      readonly kind: 'found';
      readonly payments: readonly {
        readonly intentId: string;
        readonly marks: Marks;
        readonly maker: Maker;
      }[];
      /** The next page; null where there is no more. */
      readonly next: string | null;
    }
  | { readonly kind: 'in_doubt'; readonly cause: string }
);

export type Challenge = { readonly url: string | null; readonly clientSecret: string | null };

export type Advice = 'try_again_later' | 'confirm_card_data' | 'do_not_try_again';

/** Three outcomes, plus a buyer who has to act. `in_doubt` is never turned into a failure. */
export type Outcome = { readonly trace: Trace } & (
  | { readonly kind: 'confirmed'; readonly payment: ProviderPayment }
  | {
      readonly kind: 'requires_action';
      readonly payment: ProviderPayment;
      readonly challenge: Challenge;
    }
  | {
      readonly kind: 'refused';
      /** A stable code of ours: `declined`, `unavailable` (nothing was sent), `not_allowed`, … */
      readonly code: string;
      readonly declineCode: string | null;
      readonly advice: Advice | null;
      /** The provider's own message, without card data. */
      readonly message: string | null;
      /** Where the card that was declined was issued, two letters. */
      readonly cardCountry?: string;
      /** The intent's state, when the refusal reports that it has ended. */
      readonly payment: ProviderPayment | null;
    }
  | InDoubt
);

/** `isHeldBack`: this call did nothing, because its turn has not come yet; it is made again later. */
export type InDoubt = {
  readonly kind: 'in_doubt';
  readonly cause: string;
  readonly isHeldBack?: true;
};

/**
 * The result of `retrieve`, which never refuses: it read the intent, found that there is none, or
 * does not know.
 */
export type Reading = { readonly trace: Trace } & (
  | { readonly kind: 'found'; readonly payment: ProviderPayment }
  /** `runsOut`: this provider forgets, after a time, an order of which nothing was captured. */
  | { readonly kind: 'missing'; readonly runsOut?: true }
  | InDoubt
);

/** One call on one hold. `key` is sent as the provider's idempotency key, unchanged. */
export type HoldCall = {
  readonly key: string;
  /**
   * True when this key cannot have reached the provider before. Only then may "not reachable" be
   * answered as refused; otherwise an earlier send may still take effect.
   */
  readonly isFirstSend: boolean;
  /**
   * False when every earlier send was clearly answered, and no answer said that money moved.
   * Absent: true unless this is the first send.
   */
  readonly mayHaveActed?: boolean;
  /**
   * True when the provider may have forgotten the result of an earlier send of the key: a stored
   * error for the key then proves nothing about that send.
   */
  readonly mayBeForgotten?: boolean;
  readonly operationId: string;
  readonly paymentId: string;
  readonly intentId: string;
  readonly amountMinor: number;
  readonly currency: string;
};

export type AuthorizeCall = Omit<HoldCall, 'intentId'> & {
  /** The intent, when an earlier try created it. */
  readonly intentId: string | null;
  readonly sessionId: string;
  readonly captureMethod: 'automatic' | 'manual';
  /** Null: the intent is only created, and the buyer's page confirms it. */
  readonly providerPaymentMethodId: string | null;
  /** The saved method that an intent is created with, for the buyer's page to confirm. */
  readonly offeredMethodId?: string;
  /** The provider's customer, where a saved method pays or the paying method is saved. */
  readonly providerCustomerId?: string;
  /** The paying method is saved for later charges. */
  readonly isSaving?: boolean;
  /** The buyer is not present and cannot answer a challenge, so a challenge counts as a decline. */
  readonly isOffSession?: boolean;
  readonly returnUrl: string;
  /**
   * Stores the intent before the confirmation is sent, so that it can be found after a crash in
   * between. Returns false where another process holds the attempt by now, or it has another
   * intent: then nothing is confirmed.
   */
  readonly onIntent: (intentId: string) => Promise<boolean>;
};

export type ProviderRefund = {
  readonly refundId: string;
  readonly state: 'pending' | 'succeeded' | 'failed';
  readonly failureReason: string | null;
  readonly amountMinor: number;
  readonly currency: string;
  readonly chargeId: string | null;
  readonly effectiveAt: Date | null;
  /** Absent where the provider reports no fee. */
  readonly balance?: Balance | null;
  /** The balance record of a refund that failed after it was booked. */
  readonly reversal?: ReportedReversal | null;
  /** The intent whose money the refund gives back. */
  readonly intentId: string | null;
  /** The id of our operation, which we send with every refund; null where somebody else made it. */
  readonly operationId: string | null;
};

/** All refunds of one intent. */
export type RefundList = { readonly trace: Trace } & (
  | { readonly kind: 'found'; readonly refunds: readonly ProviderRefund[] }
  | { readonly kind: 'in_doubt'; readonly cause: string }
);

export type RefundOutcome = { readonly trace: Trace } & (
  | { readonly kind: 'confirmed'; readonly refund: ProviderRefund }
  | { readonly kind: 'refused'; readonly code: string }
  | InDoubt
);

/** One refund of a captured intent. Providers do not guard refunds by state, so the key does. */
export type RefundCall = HoldCall & {
  readonly refundId: string;
  readonly reason: 'duplicate' | 'fraudulent' | 'requested_by_customer' | 'other' | null;
  /**
   * The time, as of `Date.now()`, after which nothing is sent: a process that was stopped in
   * between may be a day late. Null once the provider may have forgotten the key: then its refunds
   * are only listed.
   */
  readonly sendUntil: number | null;
};

export type { ProviderDispute };

export type DisputeReading = { readonly trace: Trace } & (
  | { readonly kind: 'found'; readonly dispute: ProviderDispute }
  | { readonly kind: 'missing' }
  | { readonly kind: 'in_doubt'; readonly cause: string }
);

/** All disputes of one intent. */
export type DisputeList = { readonly trace: Trace } & (
  | { readonly kind: 'found'; readonly disputes: readonly ProviderDispute[] }
  | { readonly kind: 'in_doubt'; readonly cause: string }
);

export type SignalReading = { readonly trace: Trace } & (
  | { readonly kind: 'found'; readonly signal: ProviderSignal }
  | { readonly kind: 'missing' }
  | { readonly kind: 'in_doubt'; readonly cause: string }
);

/** A genuine notice, reduced to what we use; amounts in it are never trusted. */
export type Notice = {
  readonly id: string;
  readonly type: string;
  readonly intentId: string | null;
  readonly createdAt: Date;
  readonly livemode: boolean;
  /** The parts without card data, stored for the record. */
  readonly kept: Record<string, unknown>;
};

/** One page of the notices that the provider has sent, whether they reached us or not. */
export type NoticePage = { readonly trace: Trace } & (
  | {
      readonly kind: 'found';
      readonly notices: readonly Notice[];
      /** The next page; null where there is no more. */
      readonly next: string | null;
    }
  | { readonly kind: 'in_doubt'; readonly cause: string }
);

export type NoticeSpan = {
  /** By the provider's own clock. */
  readonly from: Date;
  readonly until: Date;
  /** The `next` of the page before; null for the first one. */
  readonly page: string | null;
};

/** A request to a gateway's notice address, as it was sent. */
export type ReceivedNotice = {
  readonly rawBody: Buffer;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** What the gateway's notices are verified with: a signing secret, or our webhook's id. */
  readonly secret: string;
};

/** One client's account at a provider. It never throws: every result is an outcome. */
export type Provider = {
  authorize(call: AuthorizeCall): Promise<Outcome>;
  capture(call: HoldCall): Promise<Outcome>;
  cancel(call: HoldCall): Promise<Outcome>;
  retrieve(intentId: string): Promise<Reading>;
  /** How many cards were declined on the intent so far; null where that cannot be read. */
  countDeclines(intentId: string): Promise<number | null>;
  refund(call: RefundCall): Promise<RefundOutcome>;
  retrieveRefund(providerRefundId: string): Promise<RefundOutcome>;
  listRefunds(intentId: string): Promise<RefundList>;
  retrieveDispute(providerDisputeId: string): Promise<DisputeReading>;
  listDisputes(intentId: string): Promise<DisputeList>;
  /** Reads a warning of fraud, or a review. */
  retrieveSignal(kind: SignalKind, providerSignalId: string): Promise<SignalReading>;
  /** Lists the notices about money that moved without us: disputes, refunds, captures taken back. */
  listNotices(span: NoticeSpan): Promise<NoticePage>;
  /** Reads a payment with the marks that it carries. */
  retrieveMarked(intentId: string): Promise<MarkedReading>;
  /** Lists what carries our marks, whether we have a row for it or not. */
  listMarked(span: NoticeSpan): Promise<OwnObjectsPage>;
};

/** An order for a payment that is still to come. */
export type PrepareOrderCall = {
  /** The payment that will continue the order. */
  readonly paymentId: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly returnUrl: string;
  /** The wallet's customer for whom the buyer's wallet is saved; absent where it is not saved. */
  readonly keepForCustomerId?: string;
};
