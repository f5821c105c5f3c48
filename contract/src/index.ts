import {
  changePassword,
  confirmSignIn,
  createPasskeyConfirmation,
  createPasskeySignIn,
  endOtherSignIns,
  endSignIn,
  getAccount,
  listMemberships,
  listSignIns,
  requestPasswordReset,
  resetPassword,
  signIn,
  signInSecondFactor,
  signInWithPasskey,
  signOut,
  updateAccount,
} from './account.ts';
import {
  createApiToken,
  deleteApiToken,
  getApiToken,
  listApiTokens,
  rotateApiToken,
} from './api-tokens.ts';
import { listAccountAuditEntries, listAuditEntries } from './audit-log.ts';
import {
  confirmAuthenticator,
  createAuthenticator,
  createRecoveryCodes,
  deleteAuthenticator,
} from './authenticator.ts';
import { createSetupIntent, createSetupSession, submitCardSetup } from './card-setups.ts';
import { createProduct, getProduct, listProducts, updateProduct } from './catalog.ts';
import {
  claimCheckoutSession,
  createCheckoutSession,
  declineCheckoutSession,
  getCheckoutSession,
  getCheckoutSessionStatus,
  processCheckoutSession,
  processVaultCharge,
} from './checkout-sessions.ts';
import { getClient, updateClient } from './clients.ts';
import { createCoupon, getCoupon, listCoupons, updateCoupon } from './coupons.ts';
import {
  createCustomerPageLink,
  createCustomerPageSetup,
  deleteCustomerPageMethod,
  getCustomerPageMethods,
  openCustomerPage,
  updateCustomerPageDefault,
} from './customer-page.ts';
import { createCustomer, getCustomer, listCustomers, updateCustomer } from './customers.ts';
import { getDispute, getPaymentTimeline, listDisputes } from './disputes.ts';
import { getEvent, listEvents } from './events-api.ts';
import {
  acceptInvitation,
  createInvitation,
  deleteInvitation,
  leaveClient,
  listInvitations,
  listMembers,
  listSandboxMails,
  lookAtInvitation,
  removeMember,
  updateMember,
} from './members.ts';
import {
  createPasskey,
  createPasskeyOptions,
  deletePasskey,
  listPasskeys,
  updatePasskey,
} from './passkeys.ts';
import { createPaymentIntent } from './payment-intents.ts';
import {
  deletePaymentMethod,
  getSessionPaymentMethods,
  listPaymentMethods,
} from './payment-methods.ts';
import { cancelPayment, capturePayment, getPayment, listPayments } from './payments.ts';

import { createRefund } from './refunds.ts';
import { updateSessionCoupons } from './session-coupons.ts';
import { cancelSubscription, getSubscription, listSubscriptions } from './subscriptions.ts';

/** Every call of the public surface, by operation. */
export const rows = {
  createCheckoutSession,
  claimCheckoutSession,
  updateSessionCoupons,
  getCheckoutSession,
  getCheckoutSessionStatus,
  processCheckoutSession,
  processVaultCharge,
  declineCheckoutSession,
  getSessionPaymentMethods,
  createPaymentIntent,
  createSetupSession,
  submitCardSetup,
  createSetupIntent,
  capturePayment,
  cancelPayment,
  createRefund,
  listSubscriptions,
  getSubscription,
  cancelSubscription,
  getPayment,
  listPayments,
  getPaymentTimeline,
  listDisputes,
  getDispute,
  listEvents,
  getEvent,
  createProduct,
  listProducts,
  getProduct,
  updateProduct,
  createCoupon,
  listCoupons,
  getCoupon,
  updateCoupon,
  createCustomer,
  listCustomers,
  getCustomer,
  updateCustomer,
  listPaymentMethods,
  deletePaymentMethod,
  getClient,
  updateClient,
  createCustomerPageLink,
  openCustomerPage,
  getCustomerPageMethods,
  deleteCustomerPageMethod,
  createCustomerPageSetup,
  updateCustomerPageDefault,
  createApiToken,
  listApiTokens,
  getApiToken,
  deleteApiToken,
  rotateApiToken,
  listMembers,
  updateMember,
  removeMember,
  leaveClient,
  createInvitation,
  listInvitations,
  deleteInvitation,
  lookAtInvitation,
  acceptInvitation,
  listSandboxMails,
  listAuditEntries,
  listAccountAuditEntries,
  signIn,
  signInSecondFactor,
  createPasskeySignIn,
  signInWithPasskey,
  signOut,
  confirmSignIn,
  createPasskeyConfirmation,
  getAccount,
  updateAccount,
  changePassword,
  requestPasswordReset,
  resetPassword,
  createAuthenticator,
  confirmAuthenticator,
  deleteAuthenticator,
  createRecoveryCodes,
  createPasskeyOptions,
  createPasskey,
  listPasskeys,
  updatePasskey,
  deletePasskey,
  listSignIns,
  endSignIn,
  endOtherSignIns,
  listMemberships,
} as const;
export type Rows = typeof rows;
export type RowName = keyof Rows;
