import type { RowName, Rows } from '@svc/contract';
import type { Operation } from '../engine/implement.ts';
import { createApiToken } from './api-tokens/create-api-token.ts';
import { deleteApiToken } from './api-tokens/delete-api-token.ts';
import { getApiToken } from './api-tokens/get-api-token.ts';
import { listApiTokens } from './api-tokens/list-api-tokens.ts';
import { rotateApiToken } from './api-tokens/rotate-api-token.ts';
import { createApplication } from './applications/create-application.ts';
import { deleteApplication } from './applications/delete-application.ts';
import { getApplication } from './applications/get-application.ts';
import { listApplications } from './applications/list-applications.ts';
import { rotateApplicationSecret } from './applications/rotate-application-secret.ts';
import { updateApplication } from './applications/update-application.ts';
import { listAccountAuditEntries } from './audit-log/list-account-audit-entries.ts';
import { listAuditEntries } from './audit-log/list-audit-entries.ts';
import { createSetupIntent } from './card-setups/create-setup-intent.ts';
import { createSetupSession } from './card-setups/create-setup-session.ts';
import { submitCardSetup } from './card-setups/submit-card-setup.ts';
import { claimCheckoutSession } from './checkout-sessions/claim-checkout-session.ts';
import { createCheckoutSession } from './checkout-sessions/create-checkout-session.ts';
import { declineCheckoutSession } from './checkout-sessions/decline-checkout-session.ts';
import { getCheckoutSession } from './checkout-sessions/get-checkout-session.ts';
import { getCheckoutSessionStatus } from './checkout-sessions/get-checkout-session-status.ts';
import { getSessionPaymentMethods } from './checkout-sessions/get-session-payment-methods.ts';
import { processCheckoutSession } from './checkout-sessions/process-checkout-session.ts';
import { processVaultCharge } from './checkout-sessions/process-vault-charge.ts';
import { updateSessionCoupons } from './checkout-sessions/update-session-coupons.ts';
import { getClient } from './clients/get-client.ts';
import { updateClient } from './clients/update-client.ts';
import { createCoupon } from './coupons/create-coupon.ts';
import { getCoupon } from './coupons/get-coupon.ts';
import { listCoupons } from './coupons/list-coupons.ts';
import { updateCoupon } from './coupons/update-coupon.ts';
import { cancelCustomerPageAddress } from './customer-pages/cancel-page-address.ts';
import { cancelCustomerPageSubscription } from './customer-pages/cancel-page-subscription.ts';
import { confirmCustomerPageAddress } from './customer-pages/confirm-page-address.ts';
import { createCustomerPageLink } from './customer-pages/create-page-link.ts';
import { createCustomerPageSetup } from './customer-pages/create-page-setup.ts';
import { deleteCustomerPageMethod } from './customer-pages/delete-page-method.ts';
import { getCustomerPageDetails } from './customer-pages/get-page-details.ts';
import { getCustomerPageMethods } from './customer-pages/get-page-methods.ts';
import { getCustomerPagePayments } from './customer-pages/get-page-payments.ts';
import { getCustomerPageReceipt } from './customer-pages/get-page-receipt.ts';
import { getCustomerPageSubscriptions } from './customer-pages/get-page-subscriptions.ts';
import { sendCustomerPageLink } from './customer-pages/mail-page-link.ts';
import { openCustomerPage } from './customer-pages/open-page.ts';
import { requestCustomerPageAddress } from './customer-pages/request-page-address.ts';
import { requestCustomerPageLink } from './customer-pages/request-page-link.ts';
import { resumeCustomerPageSubscription } from './customer-pages/resume-page-subscription.ts';
import { updateCustomerPageDefault } from './customer-pages/update-page-default.ts';
import { updateCustomerPageDetails } from './customer-pages/update-page-details.ts';
import { cancelCustomerAddress } from './customers/cancel-address.ts';
import { createCustomer } from './customers/create-customer.ts';
import { exportCustomers } from './customers/export-customers.ts';
import { forgetCustomer } from './customers/forget-customer.ts';
import { getCustomerAddress } from './customers/get-address.ts';
import { getCustomer } from './customers/get-customer.ts';
import { listCustomers } from './customers/list-customers.ts';
import { requestCustomerAddress } from './customers/request-address.ts';
import { sendCustomerLink } from './customers/send-link.ts';
import { updateCustomer } from './customers/update-customer.ts';
import { exportDisputes } from './disputes/export-disputes.ts';
import { getDispute } from './disputes/get-dispute.ts';
import { listDisputes } from './disputes/list-disputes.ts';
import { getEvent } from './events/get-event.ts';
import { listEventAttempts } from './events/list-event-attempts.ts';
import { listEvents } from './events/list-events.ts';
import { redeliverEvent } from './events/redeliver-event.ts';
import { createExport } from './exports/create-export.ts';
import { createExportSchedule } from './exports/create-export-schedule.ts';
import { deleteExport } from './exports/delete-export.ts';
import { deleteExportSchedule } from './exports/delete-export-schedule.ts';
import { getExport } from './exports/get-export.ts';
import { getExportFile } from './exports/get-export-file.ts';
import { listExportSchedules } from './exports/list-export-schedules.ts';
import { listExports } from './exports/list-exports.ts';
import { acceptInvitation } from './invitations/accept-invitation.ts';
import { createInvitation } from './invitations/create-invitation.ts';
import { deleteInvitation } from './invitations/delete-invitation.ts';
import { listInvitations } from './invitations/list-invitations.ts';
import { lookAtInvitation } from './invitations/look-at-invitation.ts';
import { listSandboxMails } from './mails/list-sandbox-mails.ts';
import { leaveClient } from './members/leave-client.ts';
import { listMembers } from './members/list-members.ts';
import { removeMember } from './members/remove-member.ts';
import { updateMember } from './members/update-member.ts';
import { expireMerchantSession } from './merchant-sessions/expire-merchant-session.ts';
import { getMerchantSession } from './merchant-sessions/get-merchant-session.ts';
import { listMerchantSessions } from './merchant-sessions/list-merchant-sessions.ts';
import { updateMerchantSession } from './merchant-sessions/update-merchant-session.ts';
import { createNote } from './notes/create-note.ts';
import { deleteNote } from './notes/delete-note.ts';
import { listNotes } from './notes/list-notes.ts';
import { updateNote } from './notes/update-note.ts';
import { getNotifications } from './notifications/get-notifications.ts';
import { updateNotifications } from './notifications/update-notifications.ts';
import { listConsents } from './oauth/list-consents.ts';
import { revokeConsent } from './oauth/revoke-consent.ts';
import { getOverview } from './overview/get-overview.ts';
import { createPaymentIntent } from './payment-intents/create-payment-intent.ts';
import { deletePaymentMethod } from './payment-methods/delete-payment-method.ts';
import { listPaymentMethods } from './payment-methods/list-payment-methods.ts';
import { listSavedCards } from './payment-methods/list-saved-cards.ts';
import { cancelPayment } from './payments/cancel-payment.ts';
import { capturePayment } from './payments/capture-payment.ts';
import { createRefund } from './payments/create-refund.ts';
import { exportPayments } from './payments/export-payments.ts';
import { getPayment } from './payments/get-payment.ts';
import { getPaymentDetails } from './payments/get-payment-details.ts';
import { getPaymentTimeline } from './payments/get-payment-timeline.ts';
import { getPaymentTotals } from './payments/get-payment-totals.ts';
import { listPayments } from './payments/list-payments.ts';
import { changePassword } from './people/change-password.ts';
import { confirmAuthenticator } from './people/confirm-authenticator.ts';
import { confirmSignIn } from './people/confirm-sign-in.ts';
import { createAuthenticator } from './people/create-authenticator.ts';
import { createPasskey } from './people/create-passkey.ts';
import { createPasskeyConfirmation } from './people/create-passkey-confirmation.ts';
import { createPasskeyOptions } from './people/create-passkey-options.ts';
import { createPasskeySignIn } from './people/create-passkey-sign-in.ts';
import { createRecoveryCodes } from './people/create-recovery-codes.ts';
import { deleteAuthenticator } from './people/delete-authenticator.ts';
import { deletePasskey } from './people/delete-passkey.ts';
import { endOtherSignIns } from './people/end-other-sign-ins.ts';
import { endRecentAccess } from './people/end-recent-access.ts';
import { endSignIn } from './people/end-sign-in.ts';
import { getAccount } from './people/get-account.ts';
import { listMemberships } from './people/list-memberships.ts';
import { listPasskeys } from './people/list-passkeys.ts';
import { listRecentAccess } from './people/list-recent-access.ts';
import { listSignIns } from './people/list-sign-ins.ts';
import { requestPasswordReset } from './people/request-password-reset.ts';
import { resetPassword } from './people/reset-password.ts';
import { signIn } from './people/sign-in.ts';
import { signInSecondFactor } from './people/sign-in-second-factor.ts';
import { signInWithPasskey } from './people/sign-in-with-passkey.ts';
import { signOut } from './people/sign-out.ts';
import { updateAccount } from './people/update-account.ts';
import { updatePasskey } from './people/update-passkey.ts';
import { createProduct } from './products/create-product.ts';
import { getProduct } from './products/get-product.ts';
import { listProducts } from './products/list-products.ts';
import { updateProduct } from './products/update-product.ts';
import { checkProviderAccount } from './provider-accounts/check-provider-account.ts';
import { getGoLive } from './provider-accounts/get-go-live.ts';
import { listProviderAccounts } from './provider-accounts/list-provider-accounts.ts';
import { getReceipt } from './receipts/get-receipt.ts';
import { sendReceipt } from './receipts/send-receipt.ts';
import { approveRefundRequest } from './refund-requests/approve-refund-request.ts';
import { createRefundRequest } from './refund-requests/create-refund-request.ts';
import { declineRefundRequest } from './refund-requests/decline-refund-request.ts';
import { getRefundRequest } from './refund-requests/get-refund-request.ts';
import { getRefundRule } from './refund-requests/get-refund-rule.ts';
import { listRefundRequests } from './refund-requests/list-refund-requests.ts';
import { updateRefundRule } from './refund-requests/update-refund-rule.ts';
import { closeMonth } from './reports/close-month.ts';
import { getActivityReport } from './reports/get-activity-report.ts';
import { getMonthLedger } from './reports/get-month-ledger.ts';
import { getMonthReport } from './reports/get-month-report.ts';
import { getReconciliations } from './reports/get-reconciliations.ts';
import { advanceSandboxClock } from './sandbox/advance-sandbox-clock.ts';
import { clearSandboxFaults } from './sandbox/clear-sandbox-faults.ts';
import { failSandboxRefund } from './sandbox/fail-sandbox-refund.ts';
import { getSandbox } from './sandbox/get-sandbox.ts';
import { openSandboxDispute } from './sandbox/open-sandbox-dispute.ts';
import { plantSandboxFault } from './sandbox/plant-sandbox-fault.ts';
import { getSearchResults } from './search/get-search-results.ts';
import { cancelSubscription } from './subscriptions/cancel-subscription.ts';
import { exportSubscriptions } from './subscriptions/export-subscriptions.ts';
import { getSubscription } from './subscriptions/get-subscription.ts';
import { listSubscriptions } from './subscriptions/list-subscriptions.ts';
import { resumeSubscription } from './subscriptions/resume-subscription.ts';
import { createView } from './views/create-view.ts';
import { deleteView } from './views/delete-view.ts';
import { listViews } from './views/list-views.ts';
import { updateView } from './views/update-view.ts';
import { createWebhookEndpoint } from './webhook-endpoints/create-webhook-endpoint.ts';
import { deleteWebhookEndpoint } from './webhook-endpoints/delete-webhook-endpoint.ts';
import { getWebhookEndpoint } from './webhook-endpoints/get-webhook-endpoint.ts';
import { listWebhookDeliveries } from './webhook-endpoints/list-webhook-deliveries.ts';
import { listWebhookEndpoints } from './webhook-endpoints/list-webhook-endpoints.ts';
import { redeliverToEndpoint } from './webhook-endpoints/redeliver-to-endpoint.ts';
import { rotateWebhookSecret } from './webhook-endpoints/rotate-webhook-secret.ts';
import { testWebhookEndpoint } from './webhook-endpoints/test-webhook-endpoint.ts';
import { updateWebhookEndpoint } from './webhook-endpoints/update-webhook-endpoint.ts';
import { deleteTesterRequests } from './webhook-tester/delete-tester-requests.ts';
import { getTesterRequests } from './webhook-tester/get-tester-requests.ts';
import { getWebhookTester } from './webhook-tester/get-webhook-tester.ts';
import { updateWebhookTester } from './webhook-tester/update-webhook-tester.ts';

/** The operation of every row: a row without one does not compile. */
export const operations: { readonly [K in RowName]: Operation<Rows[K]> } = {
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
  getRefundRule,
  updateRefundRule,
  createRefundRequest,
  listRefundRequests,
  getRefundRequest,
  approveRefundRequest,
  declineRefundRequest,
  listSubscriptions,
  getSubscription,
  cancelSubscription,
  resumeSubscription,
  getPayment,
  listPayments,
  getPaymentTotals,
  exportPayments,
  exportCustomers,
  exportDisputes,
  exportSubscriptions,
  createExportSchedule,
  listExportSchedules,
  deleteExportSchedule,
  createExport,
  listExports,
  getExport,
  getExportFile,
  deleteExport,
  getActivityReport,
  getMonthReport,
  closeMonth,
  getMonthLedger,
  getPaymentDetails,
  getSearchResults,
  getOverview,
  getReconciliations,
  createNote,
  listNotes,
  updateNote,
  deleteNote,
  createView,
  listViews,
  updateView,
  deleteView,
  listMerchantSessions,
  getMerchantSession,
  updateMerchantSession,
  expireMerchantSession,
  getReceipt,
  sendReceipt,
  getPaymentTimeline,
  listDisputes,
  getDispute,
  listEvents,
  getEvent,
  listEventAttempts,
  redeliverEvent,
  createWebhookEndpoint,
  listWebhookEndpoints,
  getWebhookEndpoint,
  updateWebhookEndpoint,
  deleteWebhookEndpoint,
  rotateWebhookSecret,
  testWebhookEndpoint,
  redeliverToEndpoint,
  listWebhookDeliveries,
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
  sendCustomerLink,
  getCustomerAddress,
  requestCustomerAddress,
  cancelCustomerAddress,
  forgetCustomer,
  listPaymentMethods,
  listSavedCards,
  deletePaymentMethod,
  getClient,
  listProviderAccounts,
  checkProviderAccount,
  getGoLive,
  updateClient,
  createCustomerPageLink,
  sendCustomerPageLink,
  requestCustomerPageLink,
  openCustomerPage,
  getCustomerPageMethods,
  deleteCustomerPageMethod,
  createCustomerPageSetup,
  updateCustomerPageDefault,
  getCustomerPageSubscriptions,
  cancelCustomerPageSubscription,
  resumeCustomerPageSubscription,
  getCustomerPagePayments,
  getCustomerPageReceipt,
  getCustomerPageDetails,
  updateCustomerPageDetails,
  requestCustomerPageAddress,
  cancelCustomerPageAddress,
  confirmCustomerPageAddress,
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
  listRecentAccess,
  endRecentAccess,
  endSignIn,
  endOtherSignIns,
  listMemberships,
  getNotifications,
  updateNotifications,
  createApplication,
  listApplications,
  getApplication,
  updateApplication,
  deleteApplication,
  rotateApplicationSecret,
  listConsents,
  revokeConsent,
  getWebhookTester,
  updateWebhookTester,
  getTesterRequests,
  deleteTesterRequests,
  advanceSandboxClock,
  clearSandboxFaults,
  failSandboxRefund,
  getSandbox,
  openSandboxDispute,
  plantSandboxFault,
};
