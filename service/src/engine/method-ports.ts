// The ports to the customers and saved methods of a gateway's account at its provider.

import type { CardFacts, PaidWith } from '../domain/payments/payment.ts';
import type { Advice, Challenge, InDoubt, Trace } from './provider-ports.ts';

/** The provider's state of one attempt to save a method, in our terms. */
export type ProviderSetup = {
  readonly setupId: string;
  readonly state: 'new' | 'requires_action' | 'processing' | 'succeeded' | 'canceled';
  readonly customerId: string | null;
  /** The method that the provider verified; null before. */
  readonly providerPaymentMethodId: string | null;
  readonly paidWith?: PaidWith;
  readonly clientSecret: string | null;
  /** Why the last confirmation failed; absent when there was none, or it succeeded. */
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
      /** The code: `declined`, `unavailable` (nothing was sent), `provider_configuration`. */
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
  /** The idempotency key of the confirmation. The key of the creation is always `setup-<id of the row>`. */
  readonly key: string;
  readonly isFirstSend: boolean;
  /** The id of the row of `card_setups`. */
  readonly cardSetupId: string;
  readonly sessionId: string;
  readonly customerId: string;
  /** The set-up, when an earlier try created it. */
  readonly setupId: string | null;
  /** Null when the set-up is only created here, and the buyer's page confirms it. */
  readonly providerPaymentMethodId: string | null;
  readonly returnUrl: string;
  /** Stores the provider's id before the confirmation is sent. */
  readonly onSetup: (setupId: string) => Promise<void>;
};

/** A customer at the provider. */
export type CustomerReading = { readonly trace: Trace } & (
  | {
      readonly kind: 'found';
      readonly customer: {
        readonly customerId: string;
        /** The method that the provider charges for the customer when a call names none. */
        readonly defaultMethodId: string | null;
      };
    }
  | { readonly kind: 'missing' }
  | InDoubt
);

/** A saved method at the provider. */
export type MethodReading = { readonly trace: Trace } & (
  | {
      readonly kind: 'found';
      readonly method: {
        readonly methodId: string;
        /**
         * The customer that the method belongs to. Null before it belongs to one, and once it is
         * detached, when it can never be charged again.
         */
        readonly customerId: string | null;
        /** Absent where the method is no card. */
        readonly card?: CardFacts;
      };
    }
  | { readonly kind: 'missing' }
  | InDoubt
);

/** The ids of methods that the provider keeps for a customer, a page of them; none where it is gone. */
export type MethodList = { readonly trace: Trace } & (
  | { readonly kind: 'found'; readonly methodIds: readonly string[] }
  | { readonly kind: 'in_doubt'; readonly cause: string }
);

/** The result of a change at the provider: done, refused, or not known. */
export type ChangeOutcome = { readonly trace: Trace } & (
  | { readonly kind: 'confirmed' }
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'in_doubt'; readonly cause: string }
);

/** `not_done`: nothing has happened, and no earlier send can take effect any more. */
export type DetachOutcome =
  | ChangeOutcome
  | { readonly trace: Trace; readonly kind: 'not_done'; readonly cause: string };

/** The customers and saved methods of one client's account at a provider. It never throws. */
export type MethodKeeper = {
  /** Repeatable: the same key returns the same customer. */
  createCustomer(call: {
    readonly key: string;
    readonly userId: string;
    readonly clientId: string;
    readonly email: string;
  }): Promise<CustomerReading | Extract<ChangeOutcome, { kind: 'refused' }>>;
  setUp(call: SetupCall): Promise<SetupOutcome>;
  retrieveSetup(setupId: string): Promise<SetupReading>;
  /** How many cards were declined on the set-up so far; null where that cannot be read. */
  countSetupDeclines(setupId: string): Promise<number | null>;
  /**
   * Returns `confirmed` with the set-up's state; one that has succeeded cannot be cancelled, and
   * its state shows that.
   */
  cancelSetup(call: { readonly key: string; readonly setupId: string }): Promise<SetupOutcome>;
  retrieveCustomer(customerId: string): Promise<CustomerReading>;
  retrieveMethod(methodId: string): Promise<MethodReading>;
  /** Lists what the provider keeps for the customer, whether a row of ours has it or not. */
  listMethods(customerId: string): Promise<MethodList>;
  /** `methodId` null: the customer is to have no default. */
  setDefaultMethod(call: {
    readonly key: string;
    readonly customerId: string;
    readonly methodId: string | null;
  }): Promise<ChangeOutcome>;
  /** Detaching a method that is detached is confirmed too. */
  detachMethod(call: { readonly key: string; readonly methodId: string }): Promise<DetachOutcome>;
};
