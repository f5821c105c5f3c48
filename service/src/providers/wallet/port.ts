// The wallet's calls, as types: the provider's port, and the calls that only a wallet has.

import type { MethodKeeper, PrepareOrderCall, Provider, Trace } from '../../engine/ports.ts';

/** The fields of an order that the service uses. */
export type WalletOrder = {
  readonly orderId: string;
  readonly state: 'requires_action' | 'approved' | 'processing' | 'captured' | 'released';
  readonly amountMinor: number;
  readonly currency: string;
  /** Where the buyer approves the order; null once that is done. */
  readonly approveUrl: string | null;
  readonly payerId: string | null;
  /** The token for later charges that the order created; null when none was asked for. */
  readonly paymentTokenId: string | null;
};

export type SetupToken = {
  readonly setupTokenId: string;
  readonly state: 'requires_action' | 'approved' | 'used';
  readonly approveUrl: string | null;
};

/** A buyer's wallet that may be charged again. */
export type PaymentToken = {
  readonly paymentTokenId: string;
  readonly customerId: string | null;
  readonly payerId: string | null;
};

/**
 * The result of a call that creates something and moves no money. `unavailable` means that
 * repeating it is safe.
 */
export type CreateResult<T> = { readonly trace: Trace } & (
  | { readonly kind: 'made'; readonly value: T }
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'in_doubt'; readonly cause: string }
);

/** A reading never reports a refusal. */
export type FindResult<T> = { readonly trace: Trace } & (
  | { readonly kind: 'found'; readonly value: T }
  | { readonly kind: 'missing' }
  | { readonly kind: 'in_doubt'; readonly cause: string }
);

export type CreateOrderCall = {
  /** Sent as the provider's idempotency key; the same key returns the same order. */
  readonly key: string;
  /** Unique per payment: the provider accepts no second payment of the same invoice. */
  readonly invoiceId: string;
  /** The service's own reference for finding the order; at most 127 characters. */
  readonly customId: string;
  readonly amountMinor: number;
  readonly currency: string;
  /** Null when no buyer returns. */
  readonly returnUrl: string | null;
  /**
   * The wallet's customer for whom the buyer's wallet is saved for later charges; null when it is
   * not saved.
   */
  readonly storeForCustomerId: string | null;
};

export type CreateSetupTokenCall = {
  readonly key: string;
  readonly userId: string;
  readonly returnUrl: string;
  readonly cancelUrl: string;
};

/** One client's account at the wallet. Never throws: every result is an outcome. */
export type WalletProvider = Provider &
  MethodKeeper & {
    /** Returns the order that `authorize` of the payment would create; null when there is none. */
    prepareOrder(call: PrepareOrderCall): Promise<string | null>;
    createOrder(call: CreateOrderCall): Promise<CreateResult<WalletOrder>>;
    readOrder(orderId: string): Promise<FindResult<WalletOrder>>;
    /** Sets another amount on an order that is not captured. */
    updateOrder(call: {
      orderId: string;
      amountMinor: number;
      currency: string;
    }): Promise<CreateResult<WalletOrder>>;
    createSetupToken(call: CreateSetupTokenCall): Promise<CreateResult<SetupToken>>;
    readSetupToken(setupTokenId: string): Promise<FindResult<SetupToken>>;
    createPaymentToken(call: {
      key: string;
      setupTokenId: string;
    }): Promise<CreateResult<PaymentToken>>;
    readPaymentToken(paymentTokenId: string): Promise<FindResult<PaymentToken>>;
    listPaymentTokens(userId: string): Promise<FindResult<readonly PaymentToken[]>>;
    /** Deleting a token that does not exist succeeds too. */
    deletePaymentToken(paymentTokenId: string): Promise<CreateResult<null>>;
  };
