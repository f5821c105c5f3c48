// What is asked of a provider and what it may answer, as types only. Rooms that implement it import
// `ports.ts`, which names all of them.

import type { Balance, SaidReversal } from '../domain/payments/balance.ts';
import type { ProviderDispute } from '../domain/payments/dispute.ts';
import type { CardFacts, PaidWith } from '../domain/payments/payment.ts';
import type { ProviderFacts } from '../domain/payments/provider-facts.ts';
import type { Marks } from '../domain/payments/unknown-money.ts';

/** What a provider's answer left behind for the attempt log. Never raw bodies or messages. */
export type Trace = {
  readonly httpStatus: number | null;
  readonly providerCode: string | null;
  readonly requestId: string | null;
};

/** What the provider says about one intent, in our words. */
export type ProviderPayment = ProviderFacts & {
  readonly intentId: string;
  /** A hold stood behind it before it was released. */
  readonly wasHeld?: boolean;
  /** What the provider's refunds have given back so far, pending ones counted. */
  readonly refundedMinor?: number;
  /** Its charge was disputed at some time, however that ended. */
  readonly isDisputed?: boolean;
  /** Why the last confirmation came to nothing; absent when there was none, or it succeeded. */
  readonly lastFailure?: {
    readonly code: string;
    readonly declineCode: string | null;
    readonly advice?: Advice;
    /** The provider's own sentence, without card data. */
    readonly message?: string | null;
  };
  /** What the provider keeps for later charges, where the payment was to save what paid it. */
  readonly saved?: {
    readonly customerId: string;
    readonly providerPaymentMethodId: string;
    readonly payerEmail: string | null;
  };
};

/** A payment with our marks, and what is told beside it. */
export type MarkedPayment = ProviderPayment & {
  readonly marks: Marks;
  readonly captureMethod: 'automatic' | 'manual';
  /** The provider's customer, where it names one. */
  readonly customerId: string | null;
  readonly payerEmail: string | null;
};

/** `foreign`: it is there, and other software made it. */
export type MarkedReading = { readonly trace: Trace } & (
  | { readonly kind: 'found'; readonly payment: MarkedPayment }
  | { readonly kind: 'foreign' | 'missing' }
  | { readonly kind: 'in_doubt'; readonly cause: string }
);

/** One page of what was made at the provider in a span of its time, as far as it carries our marks. */
export type MarkedPage = { readonly trace: Trace } & (
  | {
      readonly kind: 'found';
      readonly payments: readonly { readonly intentId: string; readonly marks: Marks }[];
      /** Null where there is no more. */
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
      /** Stable code of ours: `declined`, `unavailable` (nothing was sent), `not_allowed`, … */
      readonly code: string;
      readonly declineCode: string | null;
      readonly advice: Advice | null;
      /** The provider's own sentence, without card data. */
      readonly message: string | null;
      /** Where the intent stands, when the refusal says that it has ended. */
      readonly payment: ProviderPayment | null;
    }
  | { readonly kind: 'in_doubt'; readonly cause: string }
);

/** `retrieve` never says "no": it read the intent, found that there is none, or does not know. */
export type Reading = { readonly trace: Trace } & (
  | { readonly kind: 'found'; readonly payment: ProviderPayment }
  /** `runsOut`: what nothing was taken of is forgotten by this provider, after a time. */
  | { readonly kind: 'missing'; readonly runsOut?: true }
  | { readonly kind: 'in_doubt'; readonly cause: string }
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
   * False when every earlier send was clearly answered, and none of the answers was that money moved.
   * Absent: as `isFirstSend` says.
   */
  readonly mayHaveActed?: boolean;
  /**
   * True when the provider may have forgotten what became of an earlier send of the key: an error on
   * record for it then tells nothing of that one.
   */
  readonly mayBeForgotten?: boolean;
  readonly operationId: string;
  readonly paymentId: string;
  readonly intentId: string;
  readonly amountMinor: number;
  readonly currency: string;
};

export type AuthorizeCall = Omit<HoldCall, 'intentId'> & {
  /** Known when an earlier try created it. */
  readonly intentId: string | null;
  readonly sessionId: string;
  readonly captureMethod: 'automatic' | 'manual';
  /** Null: the intent is only opened, and the buyer's page confirms it. */
  readonly providerPaymentMethodId: string | null;
  /** The saved method that an intent is opened with, for the buyer's page to confirm. */
  readonly offeredMethodId?: string;
  /** The provider's customer, where a saved method pays or what pays is saved. */
  readonly providerCustomerId?: string;
  /** What pays is kept for later charges. */
  readonly isSaving?: boolean;
  /** The buyer is not there: no challenge can be answered, so one counts as a decline. */
  readonly isOffSession?: boolean;
  readonly returnUrl: string;
  /**
   * Stored before the confirmation is sent, so that a crash in between finds the intent. False where
   * the attempt is in other hands by now, or has another intent: nothing is confirmed then.
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
  /** Absent where the provider tells no fee. */
  readonly balance?: Balance | null;
  /** The record of a refund that failed after it was booked. */
  readonly reversal?: SaidReversal | null;
  /** The intent whose money it gives back. */
  readonly intentId: string | null;
  /** Our operation, as we name it with every refund; null where somebody else made it. */
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
  | { readonly kind: 'in_doubt'; readonly cause: string }
);

/** One refund of a captured intent. No provider guards refunds by state, so the key does. */
export type RefundCall = HoldCall & {
  readonly refundId: string;
  readonly reason: 'duplicate' | 'fraudulent' | 'requested_by_customer' | 'other' | null;
  /**
   * Nothing is sent from then on, by `Date.now()`: whoever was stopped in between may be a day late.
   * Null once the provider may have forgotten the key: then its refunds are only listed.
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

/** A genuine notice, reduced to what we act on; amounts in it are never trusted. */
export type Notice = {
  readonly id: string;
  readonly type: string;
  readonly intentId: string | null;
  readonly createdAt: Date;
  readonly livemode: boolean;
  /** Card-free subset, kept for the record. */
  readonly kept: Record<string, unknown>;
};

/** One page of what the provider has told, whether it reached us or not. */
export type NoticePage = { readonly trace: Trace } & (
  | {
      readonly kind: 'found';
      readonly notices: readonly Notice[];
      /** Null where there is no more. */
      readonly next: string | null;
    }
  | { readonly kind: 'in_doubt'; readonly cause: string }
);

export type NoticeSpan = {
  /** By the provider's own time. */
  readonly from: Date;
  readonly until: Date;
  /** What the page before named; null for the first one. */
  readonly page: string | null;
};

/** What came to a gateway's notice address, as it was sent. */
export type ReceivedNotice = {
  readonly rawBody: Buffer;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** What the gateway's notices are checked against: a signing secret, or our webhook's id. */
  readonly secret: string;
};

/** One client's account at a provider. Never throws: everything is an outcome. */
export type Provider = {
  authorize(call: AuthorizeCall): Promise<Outcome>;
  capture(call: HoldCall): Promise<Outcome>;
  cancel(call: HoldCall): Promise<Outcome>;
  retrieve(intentId: string): Promise<Reading>;
  refund(call: RefundCall): Promise<RefundOutcome>;
  retrieveRefund(providerRefundId: string): Promise<RefundOutcome>;
  listRefunds(intentId: string): Promise<RefundList>;
  retrieveDispute(providerDisputeId: string): Promise<DisputeReading>;
  listDisputes(intentId: string): Promise<DisputeList>;
  /** What it tells of money that moved without us: disputes, refunds, captures taken back. */
  listNotices(span: NoticeSpan): Promise<NoticePage>;
  /** Reads a payment with the marks that it carries. */
  retrieveMarked(intentId: string): Promise<MarkedReading>;
  /** What carries our marks, whether we know it or not. */
  listMarked(span: NoticeSpan): Promise<MarkedPage>;
};

/** What the provider says about one attempt to save a method, in our words. */
export type ProviderSetup = {
  readonly setupId: string;
  readonly state: 'new' | 'requires_action' | 'processing' | 'succeeded' | 'canceled';
  readonly customerId: string | null;
  /** The method that it verified; null before. */
  readonly providerPaymentMethodId: string | null;
  readonly paidWith?: PaidWith;
  readonly clientSecret: string | null;
  /** Why the last confirmation came to nothing; absent when there was none, or it succeeded. */
  readonly lastFailure?: {
    readonly code: string;
    readonly declineCode: string | null;
    readonly advice?: Advice;
  };
};

/** `setUp` and `cancelSetup`: the three outcomes, plus a buyer who has to act. */
export type SetupOutcome = { readonly trace: Trace } & (
  | { readonly kind: 'confirmed'; readonly setup: ProviderSetup }
  | {
      readonly kind: 'requires_action';
      readonly setup: ProviderSetup;
      readonly challenge: Challenge;
    }
  | {
      readonly kind: 'refused';
      /** `declined`, `unavailable` (nothing was sent), `provider_configuration`. */
      readonly code: string;
      readonly declineCode: string | null;
      readonly advice?: Advice | null;
    }
  | { readonly kind: 'in_doubt'; readonly cause: string }
);

export type SetupReading = { readonly trace: Trace } & (
  | { readonly kind: 'found'; readonly setup: ProviderSetup }
  | { readonly kind: 'missing' }
  | { readonly kind: 'in_doubt'; readonly cause: string }
);

export type SetupCall = {
  /** Idempotency key of the confirmation; the creation's is `setup-<setup row's id>`, for life. */
  readonly key: string;
  readonly isFirstSend: boolean;
  /** Id of the row of `card_setups`. */
  readonly cardSetupId: string;
  readonly sessionId: string;
  readonly customerId: string;
  /** Known when an earlier try created it. */
  readonly setupId: string | null;
  /** Null: it is only opened, and the buyer's page confirms it. */
  readonly providerPaymentMethodId: string | null;
  readonly returnUrl: string;
  /** Stored before the confirmation is sent. */
  readonly onSetup: (setupId: string) => Promise<void>;
};

/** A customer at the provider. */
export type CustomerReading = { readonly trace: Trace } & (
  | {
      readonly kind: 'found';
      readonly customer: {
        readonly customerId: string;
        /** What the provider would charge for the customer when nothing is named. */
        readonly defaultMethodId: string | null;
      };
    }
  | { readonly kind: 'missing' }
  | { readonly kind: 'in_doubt'; readonly cause: string }
);

/** A saved method at the provider. */
export type MethodReading = { readonly trace: Trace } & (
  | {
      readonly kind: 'found';
      readonly method: {
        readonly methodId: string;
        /** Null once it is detached, when it can never be charged again, and while it is nobody's. */
        readonly customerId: string | null;
        /** Absent where it is no card. */
        readonly card?: CardFacts;
      };
    }
  | { readonly kind: 'missing' }
  | { readonly kind: 'in_doubt'; readonly cause: string }
);

/** A change at the provider: done, refused, or not known. */
export type ChangeOutcome = { readonly trace: Trace } & (
  | { readonly kind: 'confirmed' }
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'in_doubt'; readonly cause: string }
);

/** `not_done`: nothing has happened, and no send of it can take effect any more. */
export type DetachOutcome =
  | ChangeOutcome
  | { readonly trace: Trace; readonly kind: 'not_done'; readonly cause: string };

/** Customers and saved methods of one client's account at a provider. Never throws. */
export type MethodKeeper = {
  /** Repeatable with the key: the same customer. */
  createCustomer(call: {
    readonly key: string;
    readonly userId: string;
    readonly clientId: string;
    readonly email: string;
  }): Promise<CustomerReading | Extract<ChangeOutcome, { kind: 'refused' }>>;
  setUp(call: SetupCall): Promise<SetupOutcome>;
  retrieveSetup(setupId: string): Promise<SetupReading>;
  /** `confirmed` with what it is by then; a succeeded one cannot be cancelled, and says so. */
  cancelSetup(call: { readonly key: string; readonly setupId: string }): Promise<SetupOutcome>;
  retrieveCustomer(customerId: string): Promise<CustomerReading>;
  retrieveMethod(methodId: string): Promise<MethodReading>;
  /** Null: the customer has no default any more. */
  setDefaultMethod(call: {
    readonly key: string;
    readonly customerId: string;
    readonly methodId: string | null;
  }): Promise<ChangeOutcome>;
  /** Detaching what is detached is confirmed too. */
  detachMethod(call: { readonly key: string; readonly methodId: string }): Promise<DetachOutcome>;
};

/** An order for a payment that is still to come. */
export type PrepareOrderCall = {
  /** The payment that will go on with it. */
  readonly paymentId: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly returnUrl: string;
  /** The customer of the wallet's that the buyer's wallet is kept for; absent where it is not. */
  readonly keepForCustomerId?: string;
};
