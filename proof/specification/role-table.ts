// What the contract's rows ask for, written a second time by hand: the rights of each role, a recent
// sign-in, a limit. Specification, Authentication 3; contract §10; additions §6, Roles.

import type { Permission } from '@svc/contract/rows/roles';
import type { RowShape } from '@svc/contract/rows/row';

export const everyRole = ['owner', 'admin', 'member', 'finance', 'support', 'viewer'] as const;
export type Role = (typeof everyRole)[number];

/** Roles whose members may use API tokens and applications. */
export const withTokens: readonly Role[] = ['owner', 'admin', 'member'];

const holders: Readonly<Record<Permission, string>> = {
  'records.read': 'owner admin member finance support viewer',
  'notes.write': 'owner admin member finance support',
  'notes.clear': 'owner admin',
  'views.share': 'owner admin',
  'customers.write': 'owner admin member finance support',
  'customers.forget': 'owner admin',
  'checkout.write': 'owner admin member',
  'checkout.vouch': 'owner admin',
  'holds.end': 'owner admin',
  'refunds.make': 'owner admin finance support',
  'refunds.unbounded': 'owner admin',
  'refunds.approve': 'owner admin finance',
  'subscriptions.cancel': 'owner admin support',
  'cards.add': 'owner admin member support',
  'cards.remove': 'owner admin member support',
  'catalog.write': 'owner admin',
  'developers.use': 'owner admin member',
  'developers.write': 'owner admin',
  'sandbox.use': 'owner admin member',
  'tokens.own': 'owner admin member',
  'people.write': 'owner admin',
  'owners.write': 'owner',
  'settings.write': 'owner admin',
  'audit.read': 'owner admin finance',
  'months.close': 'owner admin finance',
  'exports.large': 'owner admin finance',
};

/** What the calls of a merchant take beyond reading. */
export const callsOf: Readonly<Partial<Record<Permission, string>>> = {
  'notes.write': 'createNote updateNote deleteNote sendReceipt',
  'customers.write':
    'createCustomer updateCustomer createCustomerPageLink sendCustomerLink requestCustomerAddress ' +
    'cancelCustomerAddress',
  'checkout.write': 'createCheckoutSession expireMerchantSession updateMerchantSession',
  'cards.add': 'createSetupSession',
  'holds.end': 'capturePayment cancelPayment',
  'refunds.make': 'createRefund createRefundRequest declineRefundRequest',
  'refunds.approve': 'approveRefundRequest',
  'subscriptions.cancel': 'cancelSubscription',
  'cards.remove': 'deletePaymentMethod',
  'catalog.write': 'createProduct updateProduct createCoupon updateCoupon',
  'developers.use':
    'redeliverEvent redeliverToEndpoint testWebhookEndpoint listEventAttempts listWebhookEndpoints ' +
    'getWebhookEndpoint listWebhookDeliveries getWebhookTester getTesterRequests',
  'developers.write':
    'createWebhookEndpoint updateWebhookEndpoint deleteWebhookEndpoint rotateWebhookSecret ' +
    'updateWebhookTester deleteTesterRequests',
  'sandbox.use':
    'getSandbox advanceSandboxClock plantSandboxFault clearSandboxFaults openSandboxDispute ' +
    'failSandboxRefund',
  'tokens.own': 'createApiToken listApiTokens getApiToken deleteApiToken rotateApiToken',
  'people.write':
    'listMembers updateMember removeMember createInvitation listInvitations deleteInvitation ' +
    'createApplication listApplications getApplication updateApplication deleteApplication ' +
    'rotateApplicationSecret',
  'settings.write': 'updateClient updateRefundRule',
  'audit.read': 'listAuditEntries',
  'months.close': 'closeMonth',
};

export const holds = (role: Role, permission: Permission): boolean =>
  holders[permission].split(' ').includes(role);

/** The calls that a browser makes only within 15 minutes of a proof of who it is. */
export const withRecentSignIn =
  'capturePayment cancelPayment createRefund updateRefundRule approveRefundRequest cancelSubscription ' +
  'resumeSubscription ' +
  'createWebhookEndpoint updateWebhookEndpoint deleteWebhookEndpoint rotateWebhookSecret ' +
  'forgetCustomer updateClient createCustomerPageLink requestCustomerAddress createApiToken deleteApiToken rotateApiToken ' +
  'updateMember removeMember leaveClient createInvitation deleteInvitation changePassword ' +
  'createAuthenticator confirmAuthenticator deleteAuthenticator createRecoveryCodes ' +
  'createPasskeyOptions createPasskey endRecentAccess deletePasskey createApplication ' +
  'updateApplication deleteApplication rotateApplicationSecret closeMonth createExport ' +
  'createExportSchedule deleteExportSchedule deletePaymentMethod';

/** The calls that count towards another limit than that of the client. */
export const limitedBy: Readonly<Record<Exclude<RowShape['limit'], 'client'>, string>> = {
  money: 'capturePayment cancelPayment createRefund approveRefundRequest',
  process:
    'processCheckoutSession processVaultCharge createPaymentIntent submitCardSetup createSetupIntent',
  'session-create':
    'createCheckoutSession updateSessionCoupons openCustomerPage sendCustomerPageLink ' +
    'requestCustomerPageLink confirmCustomerPageAddress',
  session:
    'claimCheckoutSession declineCheckoutSession getCustomerPageMethods deleteCustomerPageMethod ' +
    'createCustomerPageSetup updateCustomerPageDefault getCustomerPageSubscriptions ' +
    'cancelCustomerPageSubscription resumeCustomerPageSubscription getCustomerPagePayments ' +
    'getCustomerPageReceipt getCustomerPageDetails updateCustomerPageDetails ' +
    'requestCustomerPageAddress cancelCustomerPageAddress',
  'session-read': 'getCheckoutSession getCheckoutSessionStatus getSessionPaymentMethods',
  'sign-in':
    'lookAtInvitation acceptInvitation listSandboxMails signIn signInSecondFactor ' +
    'createPasskeySignIn signInWithPasskey confirmSignIn createPasskeyConfirmation changePassword ' +
    'requestPasswordReset resetPassword confirmAuthenticator',
  person:
    'leaveClient listAccountAuditEntries signOut getAccount updateAccount createAuthenticator ' +
    'deleteAuthenticator createRecoveryCodes createPasskeyOptions createPasskey listRecentAccess ' +
    'endRecentAccess listPasskeys updatePasskey deletePasskey listSignIns endSignIn endOtherSignIns ' +
    'listMemberships getNotifications updateNotifications listConsents revokeConsent',
};
