// Values for the examples of the reference that fit together, by object and by call. Values made
// from the type alone would show a pending payment that was captured.

const held = '2026-01-30T09:15:00.000Z';
const taken = '2026-01-31T12:00:00.000Z';
const street = '1 Example Street\n12345 Example';
const tax = { taxNumber: 'DE123456789' };
const seller = { name: 'Example Shop', supportEmail: 'help@shop.example', termsUrl: null };
const runsOut = '2026-02-06T09:14:00.000Z';
const purchaseId = '018f6e5c-b7a2-7c3e-9d41-a0b2c4d6e8f0';

const uuid = '018f6e5c-b7a2-7c3e-9d41-a0b2c4d6e8f0';
const eventId = 'evt_018f6e5cb7a27c3e9d41a0b2c4d6e8f0';

type ExampleFields = Readonly<Record<string, unknown>>;

const endpoint: ExampleFields = {
  url: 'https://shop.example/webhooks',
  description: 'Orders',
  eventTypes: ['item.purchased', 'refund.succeeded'],
  isEnabled: true,
  disabledReason: null,
  failingSince: null,
  previousSecretUntil: null,
  testFault: null,
};
const delivered: ExampleFields = {
  eventId,
  endpointId: '018f6e5c-1111-7000-8000-0000000e4d90',
};

const application: ExampleFields = { name: 'Order desk', scopes: ['payments:read'] };

const payment: ExampleFields = {
  status: 'succeeded',
  captureMethod: 'manual',
  gatewayChargeId: 'ch_3Q8mJw2eZvKYlo2C',
  paymentMethod: {
    id: 'pm_1Q8mJv2eZvKYlo2C',
    type: 'card',
    brand: 'visa',
    lastFour: '4242',
    expiryMonth: 4,
    expiryYear: 2030,
  },
  financialEffectiveAt: taken,
  authorizationExpiresAt: runsOut,
  authorizationVoidReason: null,
  version: 4,
  createdAt: held,
  authorizedAt: held,
  capturedAt: taken,
  updatedAt: taken,
};

const dispute: ExampleFields = {
  paymentId: purchaseId,
  providerDisputeId: 'dp_1Q8mJx2eZvKYlo2C',
  status: 'needs_response',
  reason: 'fraudulent',
  enhancedEligibility: [
    { type: 'visa_compelling_evidence_3', status: 'qualified', requiredActions: [] },
  ],
  closedAt: null,
};

const merchantProfile: ExampleFields = {
  logoUrl: 'https://shop.example/logo.svg',
  supportEmail: 'help@shop.example',
  termsUrl: 'https://shop.example/terms',
  brandColor: '#0a7d4f',
};
const merchant: ExampleFields = { name: 'Example Shop', ...merchantProfile };

/** By the object's name: the values of its example. */
export const exampleValues: Readonly<Record<string, ExampleFields>> = {
  Payment: payment,
  ListedPayment: payment,
  PaymentListEntry: payment,
  CheckoutSession: {
    status: 'open',
    merchant,
    url: null,
    paymentId: null,
    authorizationExpiresAt: null,
    latestTransactionAttempt: null,
  },
  CreatedCheckoutSession: {
    status: 'open',
    couponsAccepted: null,
    couponsByMerchantOnly: false,
    guest: false,
    cardsAccepted: null,
    subscriptionExists: null,
    cancelOnPage: null,
    merchant: null,
    paymentId: null,
    authorizationExpiresAt: null,
    latestTransactionAttempt: null,
  },
  Coupon: {
    code: 'SUMMER10',
    percentOff: 10,
    amountOff: null,
    currency: null,
    productCodes: null,
    startsAt: null,
    endsAt: '2026-09-01T00:00:00.000Z',
    maxRedemptions: 100,
    redemptions: 3,
    active: true,
  },
  Product: { active: true, interval: null },
  Event: {
    id: eventId,
    created: 1_769_860_800,
    request: { id: 'req_01JA8ZC4T7N3V5X9QG2M6R0BKD', idempotencyKey: 'order-1042-capture' },
  },
  Overview: { fraudWarnings: { total: 0, data: [] }, reviews: { total: 0, data: [] } },
  ApiToken: { name: 'Order desk' },
  ApiTokenWithValue: { name: 'Order desk', token: 'svc_ZXhhbXBsZQ' },
  NewAuthenticator: {
    secret: 'JBSWY3DPEHPK3PXP',
    uri: 'otpauth://totp/Svc:ada@example.com?secret=JBSWY3DPEHPK3PXP&issuer=Svc',
  },
  Application: application,
  ApplicationWithSecret: application,
  Client: { ...merchant, ...tax, businessName: 'Example Shop', businessAddress: street },
  ProviderAccount: { mode: 'live', livemode: true, active: true, countries: ['DE'] },
  GoLive: {
    ready: false,
    steps: [{ step: 'business_details', state: 'open', since: null, missing: ['termsUrl'] }],
  },
  Merchant: merchant,
  OwnMembership: { name: 'Example Shop' },
  Customer: { name: 'Ada Lovelace', defaultPaymentMethodId: null, forgottenAt: null },
  Member: { name: 'Ada Lovelace' },
  Account: { name: 'Ada Lovelace' },
  Passkey: { name: 'Laptop' },
  Note: { resourceType: 'payment', text: 'Asked for an invoice.' },
  View: { list: 'payments', name: 'Large failures', query: 'status=failed&sort=-amount' },
  SearchResults: { query: 'ada@example.com' },
  RefundDetails: { reason: 'requested_by_customer', failureCode: null },
  Receipt: {
    number: 'R-000042',
    type: 'purchase',
    reference: '7F3K-2Q9M',
    seller: { ...seller, ...tax, address: street },
    couponCodes: [],
    discount: 0,
    amountRefunded: 0,
    paymentMethod: { type: 'card', brand: 'visa', lastFour: '4242' },
    paidAt: taken,
    issuedAt: taken,
    url: 'https://pay.example/r/ZXhhbXBsZS1yZWNlaXB0',
  },
  MerchantSession: {
    status: 'open',
    step: 'card',
    couponCodes: [],
    paymentId: null,
    latestResult: null,
  },
  MerchantSessionDetails: {
    status: 'completed',
    step: 'done',
    couponCodes: [],
    latestResult: 'SUCCEEDED',
    attempts: [
      {
        paymentId: uuid,
        status: 'succeeded',
        declineCode: null,
        failureCode: null,
        createdAt: taken,
      },
    ],
  },
  PaymentDetails: {
    ...{ reference: '7F3K-2Q9M', declineAdvice: null, couponCodes: [] },
    ...{ fraudWarnings: [], reviews: [] },
  },
  TimelineEntry: {
    text: '19.9 EUR was collected.',
    actor: null,
    disputeId: null,
    type: 'purchase',
    operationId: null,
    attempt: null,
    eventId: null,
    sequence: null,
    endpointId: null,
    httpStatus: null,
    code: null,
    endedAt: null,
  },
  TesterRequest: { headers: [{ name: 'content-type', value: 'application/json' }] },
  CustomerPageSubscription: {
    ...{ productName: 'Coffee club', interval: 'month', status: 'active', amount: 24 },
    ...{ cancelAt: null, canceledAt: null, may: { cancel: true, resume: false } },
  },
  CustomerPagePayment: {
    ...{ productNames: ['Coffee club'], status: 'paid', amount: 24 },
    paymentMethod: { type: 'card', brand: 'visa', lastFour: '4242' },
  },
  CustomerPageReceipt: { url: 'https://pay.example/r/ZXhhbXBsZS1yZWNlaXB0' },
  CustomerPageLink: { url: `https://pay.example/m/${uuid}#ZXhhbXBsZS1saW5r` },
  Sandbox: {
    now: '2026-11-27T12:00:00.000Z',
    shiftSeconds: 604_800,
    cards: [{ number: '4242424242424242', effect: 'approved (Visa)' }],
    faults: [{ id: 'fault_1', action: 'decline', count: 1, fired: 0 }],
  },
  SandboxClockTime: { now: '2026-11-27T12:00:00.000Z', shiftSeconds: 604_800 },
  SandboxFault: { id: 'fault_1', action: 'decline', count: 1, fired: 0 },
  WebhookTester: { url: 'https://pay.example/webhook-tester/ZXhhbXBsZQ' },
  PasskeyParty: { id: 'pay.example', name: 'Svc' },
  PasskeyUser: { name: 'ada@example.com', displayName: 'Ada Lovelace' },
  WebhookEndpoint: endpoint,
  WebhookEndpointWithSecret: {
    ...endpoint,
    secret: 'svc_whsec_ZXhhbXBsZSBvZiBhIHNlY3JldCwgMzIgYnl0ZXMuLi4=',
  },
  WebhookAttempt: {
    ...delivered,
    isRedelivery: false,
    request: {
      url: 'https://shop.example/webhooks',
      headers: { 'webhook-id': delivered.eventId, 'user-agent': 'Svc-Webhooks/1' },
    },
    status: 200,
    error: null,
    response: 'ok',
    durationMs: 41,
  },
  WebhookDelivery: {
    ...delivered,
    eventType: 'item.purchased',
    state: 'delivered',
    redeliveries: 0,
    lastStatus: 200,
    lastError: null,
    nextAttemptAt: null,
  },
  Dispute: dispute,
  ListedDispute: dispute,
};

/** By call: the values in which its response differs from the object's own example. */
export const answerOf: Readonly<Record<string, ExampleFields>> = {
  'POST /v1/customers/{customerId}/forget': {
    email: '',
    name: null,
    metadata: {},
    createdAt: held,
    updatedAt: taken,
    forgottenAt: taken,
  },
  'PUT /v1/payments/{paymentId}/cancel': {
    status: 'voided',
    amountCaptured: 0,
    amountRefundable: 0,
    financialEffectiveAt: null,
    authorizationVoidReason: 'merchant_requested',
    capturedAt: null,
    voidedAt: taken,
  },
  'POST /v1/payments/{paymentId}/refunds': {
    id: '018f7a10-52c4-7d18-8a3b-6f1e2d3c4b5a',
    type: 'refund',
    amount: 5,
    amountMinor: 500,
    amountCaptured: 0,
    amountRefundable: 0,
    parentPaymentId: purchaseId,
    authorizationExpiresAt: null,
    authorizedAt: null,
    capturedAt: null,
    version: 2,
    createdAt: taken,
  },
};

/** By call: the body of its example, when the required fields alone are not enough. */
export const bodyOf: Readonly<Record<string, ExampleFields>> = {
  'POST /v1/payments/{paymentId}/refunds': { amount: 5, reason: 'requested_by_customer' },
  'POST /v1/webhook-endpoints': {
    url: 'https://shop.example/webhooks',
    eventTypes: ['item.purchased', 'refund.succeeded'],
  },
  'PATCH /v1/webhook-endpoints/{id}': { isEnabled: true },
  'POST /v1/webhook-endpoints/{id}/rotate-secret': { overlapSeconds: 3600 },
  'POST /v1/coupons': { code: 'SUMMER10', percentOff: 10, maxRedemptions: 100 },
  'POST /v1/api-tokens': { name: 'Order desk' },
  'POST /v1/applications': {
    name: 'Order desk',
    kind: 'confidential',
    redirectUris: ['https://desk.example/callback'],
    scopes: ['payments:read'],
  },
  'PATCH /v1/client': {
    businessName: 'Example Shop',
    ...merchantProfile,
    allowedOrigins: ['https://shop.example'],
  },
  'POST /v1/notes': {
    resourceType: 'payment',
    resourceId: purchaseId,
    text: 'Asked for an invoice.',
  },
  'PATCH /v1/notes/{noteId}': { text: 'The invoice was sent.' },
  'POST /v1/views': {
    list: 'payments',
    name: 'Large failures',
    query: 'status=failed&createdAt=last-month&amount=100..&sort=-amount',
  },
  'PATCH /v1/views/{viewId}': { name: 'Failures of last month' },
  'POST /v1/invitations': { email: 'ada@example.com', role: 'member' },
  'PATCH /v1/account': { name: 'Ada Lovelace' },
  'PATCH /v1/account/passkeys/{passkeyId}': { name: 'Laptop' },
};

/** By path: the value of a parameter, when its name alone would suggest another one. */
export const pathOf: Readonly<Record<string, ExampleFields>> = {
  '/v1/coupons/{code}': { code: 'SUMMER10' },
};

const base64url = 'ZXhhbXBsZS1ieXRlcw';

/** By field: the text of the example, when the schema allows any text. */
export const wordOf: ExampleFields = {
  action: 'product.updated',
  address: '203.0.113.7',
  applicationId: uuid,
  applicationName: 'Order desk',
  attestationObject: base64url,
  authenticatorData: base64url,
  body: '{"id":"evt_018f6e5cb7a27c3e9d41a0b2c4d6e8f0"}',
  buyerLocale: 'de-AT',
  challenge: base64url,
  clientDataJSON: base64url,
  clientName: 'Example Shop',
  clientSecret: 'pi_3Q8mJw2eZvKYlo2C_secret_example',
  createdAt: taken,
  credentialId: uuid,
  currency: 'EUR',
  description: 'Of the order desk',
  detail: 'given',
  endpointId: delivered.endpointId,
  eventId,
  expected: 'v1,ZXhhbXBsZQ',
  expiresAt: runsOut,
  fields: 'number',
  filter: 'email[startsWith]=ada%40example.com',
  formOrigin: 'https://card.example',
  formUrl: 'https://card.example/form',
  id: uuid,
  idempotencyKey: 'order-1042-capture',
  intentId: 'pi_3Q8mJw2eZvKYlo2C',
  invitedBy: 'ada@example.com',
  kind: 'invitation',
  link: 'ZXhhbXBsZS1saW5r',
  merchantName: 'Example Shop',
  mountToken: 'ZXhhbXBsZS1tb3VudC10b2tlbg',
  nonce: 'ZXhhbXBsZS1ub25jZQ',
  pageToken: 'ZXhhbXBsZS1wYWdlLXRva2Vu',
  password: 'four words of your own',
  payerEmail: 'buyer@example.com',
  productCode: 'mug',
  publishableKey: 'pk_test_example',
  recoveryCodes: 'a1b2c-d3e4f',
  redirectUris: 'https://desk.example/callback',
  q: 'ada@example.com',
  requestId: 'req_01JA8ZC4T7N3V5X9QG2M6R0BKD',
  returnUrl: 'https://shop.example/account',
  rpId: 'pay.example',
  secret: 'shown in this answer alone',
  setupIntentId: 'seti_1Q8mJv2eZvKYlo2C',
  signature: base64url,
  signedPrefix: `${eventId}.1769860800.`,
  status: 'succeeded',
  subject: 'You are invited',
  text: 'Ada Lovelace invites you to Example Shop.',
  to: 'buyer@example.com',
  token: 'tok_ZXhhbXBsZQ',
  tokenName: 'Order desk',
  transports: 'internal',
  type: 'payment',
  uri: 'https://desk.example',
  url: 'https://pay.example/c/018f6e5c-b7a2-7c3e-9d41-a0b2c4d6e8f0#ZXhhbXBsZS1ub25jZQ',
  userAgent: 'Mozilla/5.0',
  userId: uuid,
  value: 'v1,ZXhhbXBsZQ',
  what: 'right refunds.write',
};
