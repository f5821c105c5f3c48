import type { BuyerLanguage } from '@svc/contract/settings/languages';

/** A row of `customers`: a buyer, by the merchant's own id. Contract §5. */
export type Customer = {
  readonly clientId: string;
  /** The `userId` of sessions and payments. */
  readonly id: string;
  /** The merchant's own id, where that is no UUID. */
  readonly externalId: string | null;
  readonly email: string;
  readonly name: string | null;
  readonly country: string | null;
  /** The language of mails and of the customer's page; null: that of the last payment. */
  readonly language: BuyerLanguage | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly defaultPaymentMethodId: string | null;
  /** Goes up with each change of the default. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Set once the customer was forgotten: nothing tells any more who it was. */
  readonly forgottenAt: Date | null;
};
