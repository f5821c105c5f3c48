// What the wallet can do, as types: the provider's port, and the calls that only a wallet has.

import type { MethodKeeper, PrepareOrderCall, Provider, Trace } from '../../engine/ports.ts';

/** An order as far as we act on it. */
export type WalletOrder = {
  readonly orderId: string;
  readonly state: 'requires_action' | 'approved' | 'processing' | 'captured' | 'released';
  readonly amountMinor: number;
  readonly currency: string;
  /** Where the buyer approves it; null once that is done. */
  readonly approveUrl: string | null;
  readonly payerId: string | null;
  /** The token that the order left for later charges; null where none was asked for. */
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

/** A call that makes something and moves no money. `unavailable`: repeating it is safe. */
export type Made<T> = { readonly trace: Trace } & (
  | { readonly kind: 'made'; readonly value: T }
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'in_doubt'; readonly cause: string }
);

/** A reading never says "no". */
export type Found<T> = { readonly trace: Trace } & (
  | { readonly kind: 'found'; readonly value: T }
  | { readonly kind: 'missing' }
  | { readonly kind: 'in_doubt'; readonly cause: string }
);

export type CreateOrderCall = {
  /** Sent as the provider's idempotency key; the same key gives the same order. */
  readonly key: string;
  /** Unique per payment: the provider takes no second payment of the same invoice. */
  readonly invoiceId: string;
  /** Ours to find it by; at most 100 characters. */
  readonly customId: string;
  readonly amountMinor: number;
  readonly currency: string;
  /** Null where no buyer comes back. */
  readonly returnUrl: string | null;
  /** Keep the buyer's wallet for later charges, for this customer of the wallet's. */
  readonly storeForCustomerId: string | null;
};

export type CreateSetupTokenCall = {
  readonly key: string;
  readonly userId: string;
  readonly returnUrl: string;
  readonly cancelUrl: string;
};

/** One client's account at the wallet. Never throws: everything is an outcome. */
export type WalletProvider = Provider &
  MethodKeeper & {
    /** The order that `authorize` of the payment would make; null when there is none. */
    prepareOrder(call: PrepareOrderCall): Promise<string | null>;
    createOrder(call: CreateOrderCall): Promise<Made<WalletOrder>>;
    readOrder(orderId: string): Promise<Found<WalletOrder>>;
    /** Another amount for an order that is not captured. */
    updateOrder(call: {
      orderId: string;
      amountMinor: number;
      currency: string;
    }): Promise<Made<WalletOrder>>;
    createSetupToken(call: CreateSetupTokenCall): Promise<Made<SetupToken>>;
    readSetupToken(setupTokenId: string): Promise<Found<SetupToken>>;
    createPaymentToken(call: { key: string; setupTokenId: string }): Promise<Made<PaymentToken>>;
    readPaymentToken(paymentTokenId: string): Promise<Found<PaymentToken>>;
    listPaymentTokens(userId: string): Promise<Found<readonly PaymentToken[]>>;
    /** Deleting what is gone is made too. */
    deletePaymentToken(paymentTokenId: string): Promise<Made<null>>;
  };
