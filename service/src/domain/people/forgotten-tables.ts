// What becomes of each column when a customer is forgotten. forget_customer (service/migrations) does it;
// forgotten-tables.test.ts and forget-columns.test.ts hold the two together. In words for who decides about it:
// docs/operating/erasure.md.

/** Columns of text, JSON and bytes, several in one string. */
export type ForgottenTable = {
  /** The table's line in the command's output, for the operator. */
  readonly told: string;
  /** Null, empty or {}; an external id only where it has an @. */
  readonly emptied?: string;
  /** The fields that are blanked inside a column's JSON, by column; its other fields stay. */
  readonly cleaned?: Readonly<Record<string, string>>;
  /** Blanked in rows that name the person by address or name. */
  readonly named?: string;
  /** Columns whose whole row is deleted. */
  readonly deleted?: string;
  /** Columns that tell nothing of the person, or stay, by reason. */
  readonly rest?: Readonly<Record<string, string>>;
};

const ours = 'words and digests of the service, ids and codes of providers: nobody types them';
const books = 'amounts, products and countries: books, taxes, questions of provider and bank';
const keys = 'keys that the merchant’s program chose';

const inJson =
  'email payerEmail brand lastFour expiryMonth expiryYear fingerprint postalCode note successUrl cancelUrl returnUrl metadata';
const inLog = 'text to note filters query name';

/** In the order in which the rows are told. */
export const forgottenTables: Readonly<Record<string, ForgottenTable>> = {
  customers: {
    told: 'name, email, language and metadata of the customer are blanked',
    emptied: 'email name language metadata external_id',
    rest: { [books]: 'country' },
  },
  customer_words: {
    told: 'name and email are deleted from the search for customers',
    deleted: 'word',
  },
  checkout_sessions: {
    told: 'email, metadata, language and return addresses of sessions are blanked',
    emptied: 'email metadata success_url cancel_url locale external_id',
    rest: {
      [books]: 'currency country lines coupon_codes',
      [keys]: 'reference',
      [ours]:
        'nonce_sha256 mode status capture_method attempt_result attempt_decline_code claim_sha256',
    },
  },
  payments: {
    told: 'email, metadata and card details of payments and refunds are blanked',
    emptied: 'email metadata external_id',
    cleaned: { card: 'brand lastFour expiryMonth expiryYear fingerprint postalCode' },
    rest: {
      [keys]: 'reference',
      [books]: 'type currency status refund_reason settled_currency',
      [ours]: `provider provider_intent_id provider_payment_method_id capture_method failure_code decline_code
        failure_message provider_refund_id provider_movement_id gateway_charge_id authorization_void_reason
        decline_advice balance_transaction_id reversal`,
    },
  },
  payment_index: {
    told: 'email and card details are blanked in the list of payments',
    emptied: 'email last_four brand',
    rest: {
      [books]: 'type status currency refund_reason parent_status card_country',
      [ours]: 'capture_method provider method_type failure_code decline_code',
    },
  },
  payment_words: {
    told: 'words of metadata are deleted from the search for payments',
    deleted: 'word',
  },
  payment_operations: {
    told: 'the same is blanked in answers that are kept for repeated requests',
    emptied: 'challenge',
    cleaned: { response_body: inJson },
    rest: {
      [keys]: 'idempotency_key',
      [ours]:
        'kind raw_sha256 canon_sha256 card_token_sha256 request_id asked_via last_error_code state',
      'who of the merchant asked': 'asked_network',
    },
  },
  kept_answers: {
    told: 'answers that are kept for repeated creates are deleted',
    deleted: 'answer_sealed',
    rest: { [keys]: 'idempotency_key', [ours]: 'operation request_sha256' },
  },
  payment_methods: {
    told: 'saved cards are removed, here and at the provider',
    emptied: 'provider_customer_id provider_payment_method_id brand last_four payer_email',
    rest: { [ours]: 'provider type removed_by status' },
  },
  card_setups: {
    told: 'card details of saved cards are blanked',
    emptied: 'provider_payment_method_id card challenge',
    rest: {
      [ours]: `confirmed_by card_token_sha256 provider_setup_id failure_code decline_code request_id state
        decline_advice`,
    },
  },
  subscriptions: {
    told: 'metadata of subscriptions is blanked',
    emptied: 'metadata',
    rest: {
      [books]: 'product_code product_name currency interval_unit',
      [ours]: 'provider status end_reason cancel_reason',
    },
  },
  refund_requests: {
    told: 'notes on refunds that somebody had to approve are deleted',
    emptied: 'note',
    rest: { [books]: 'currency reason', [keys]: 'idempotency_key', [ours]: 'canon_sha256 status' },
  },
  unknown_money: {
    told: 'email is blanked on money that was found at the provider',
    emptied: 'email',
    rest: {
      [books]: 'currency',
      [ours]: 'provider_intent_id state status reason provider_refund_id last_error',
    },
  },
  events: {
    told: 'email, metadata and card details and notes on refunds are blanked in events for webhooks',
    cleaned: { payload: inJson },
    rest: { [ours]: 'type resource_type' },
  },
  webhook_attempts: {
    told: 'the answers of webhook endpoints to these events are deleted',
    emptied: 'response_excerpt',
    rest: { [ours]: 'outcome error', 'the merchant’s own address': 'url' },
  },
  webhook_tester_requests: {
    told: 'these events are deleted from the webhook tester',
    deleted: 'headers body',
    rest: { [ours]: 'answer' },
  },
  notes: {
    told: 'notes of your people are deleted',
    deleted: 'text',
    rest: { [ours]: 'resource_type' },
  },
  exports: {
    told: 'kept files of all payments of this merchant are deleted, and can be made again',
    deleted: 'filters file_name',
    rest: { [ours]: 'status columns style time_zone failure' },
  },
  export_chunks: { told: 'the lines of these files go with them', deleted: 'sealed' },
  export_schedules: {
    told: 'files of each month whose filters name the person are made no more',
    named: 'filters',
    rest: { [ours]: 'columns style' },
  },
  customer_page_links: {
    told: "links to the customer's own page are deleted",
    deleted: 'return_url',
    rest: { [ours]: 'link_sha256 maker_via maker_scopes mailed_to_sha256' },
  },
  customer_addresses: {
    told: 'addresses that were asked for on this page are deleted',
    deleted: 'email former_email',
    rest: { [ours]: 'secret_sha256 state' },
  },
  customer_pages: {
    told: 'pages that these links opened end',
    rest: { [ours]: 'page_sha256' },
  },
  buyer_mails: {
    told: 'the masked address is blanked in the list of mails to buyers',
    emptied: 'recipient_masked',
    rest: { [ours]: 'kind actor_kind' },
  },
  mails: {
    told: 'the address is blanked in mails, and mails that wait are not sent',
    named: 'recipient body_sealed',
    rest: { [ours]: 'kind state last_error' },
  },
  audit_entries: {
    told: 'texts of notes and filters with the person are blanked in the audit log',
    // Network and browser of the buyer’s own acts; those of the merchant’s people stay.
    emptied: 'address user_agent',
    cleaned: { before: inLog, after: inLog },
    rest: {
      [ours]: `actor_kind actor_credential_id actor_application_id action resource_type resource_id request_id`,
    },
  },
  views: {
    told: 'filters with the person are taken out of saved views',
    named: 'name query',
    rest: { [ours]: 'list' },
  },
  'vault.card_tokens': {
    told: 'tokens of the cards that paid are deleted; one that was never sent is kept for a day',
    deleted: 'provider_payment_method_id brand last_four postal_code fingerprint',
    rest: { [ours]: 'token_sha256' },
  },
};

const digests = 'digests and states of the service, ids and codes of providers: nobody types them';
const settings = 'what the merchant sells and has set: it names no buyer';
const people = 'people of the merchant and their credentials, who are no buyers';
const installation = 'the installation’s own work';
const hashed = 'its SHA-256 proves its bytes, and such records have a lawful term of their own';

/** Tables that forgetting leaves as they are, by reason: each table with its columns. */
const keptTables: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [hashed]: { closed_ledger_lines: 'kind currency fields' },
  [settings]: {
    clients: `name allowed_origins api_version business_name logo_url support_email terms_url brand_color time_zone
      business_address tax_number buyer_mails buyer_language`,
    gateways: `provider account_id publishable_key secret_key_sealed notice_secret_sealed countries key_refused_request
      notices_refused_fault`,
    products: 'code name kind interval_unit',
    product_prices: 'product_code currency',
    coupons: 'code currency product_codes',
    coupon_redemptions: 'coupon_code',
    webhook_endpoints: `url event_types secret_sealed previous_secret_sealed api_version disabled_reason description
      test_fault kept_types_since`,
    webhook_testers: 'key answer',
    refund_rules: 'limits other_currencies',
  },
  [people]: {
    users: 'email name password_hash totp_secret_sealed',
    memberships: 'role',
    invitations: 'email role token_sha256 state',
    api_tokens: 'name description token_sha256 scopes previous_sha256',
    sign_ins: 'token_sha256 state method address user_agent',
    passkeys: 'credential_id public_key name transports',
    recovery_codes: 'code_sha256',
    account_links: 'link_sha256',
    passkey_challenges: 'challenge_sha256 purpose',
    proof_budgets: 'key_sha256',
    applications: 'name uri kind secret_sha256 redirect_uris scopes',
    oauth_grants: 'application_id application_name scopes',
    oauth_records: 'id_sha256 model scopes user_code_digest payload_sealed',
    notification_choices: 'kind choice',
    notification_facts: 'kind stage',
    notifications: 'kind way',
    notification_mails: 'kind',
  },
  [installation]: {
    clock_shift: 'mode',
    installations: 'database_identity status',
    reconcile_turn: 'timeline',
    client_keys: 'kek_id wrapped_key',
    provider_pace: 'account_id endpoint',
    provider_holdups: 'account_id',
    shared_limits: 'key_sha256',
    operator_alerts: 'kind subject said mend',
    operator_messages: 'body',
    retention: 'kind',
    'vault.installation': 'mode',
  },
  [digests]: {
    payment_history: 'status authorization_void_reason',
    operation_attempts: 'outcome provider_code provider_request_id',
    webhook_deliveries: 'state last_error',
    // Of a notice the service stores ids and a status alone.
    provider_inbox: 'notice_id object_id type payload_sha256 payload outcome',
    disputes: `provider_dispute_id status reason currency intended_submission answered_by enhanced_eligibility awaits`,
    fraud_signals: 'kind provider_signal_id reason closed_reason',
    wallet_orders: 'currency order_id',
    provider_customers: 'provider_customer_id',
    payment_method_uses: 'purpose',
    payment_method_detachments: 'step state failure_reason',
    month_closings: 'time_zone columns sums sha256',
    receipts: 'token',
    bounded_refunds: 'currency',
    automatic_mails: 'kind stage',
    payment_day_sums: 'currency type status parent_status',
    payment_movements: 'kind currency',
    movement_sums: 'currency',
    attempt_sums: 'currency',
    attempt_group_sums: 'grouping_name currency name second',
    reconcile_differences: 'kind description',
  },
};

/** The columns of a string of the tables above. */
export const columnsIn = (names = ''): readonly string[] => names.split(/\s+/).filter(Boolean);

/** Every column that a line above has, as `table.column`. */
export const columnsWithLine: readonly string[] = [
  ...Object.entries(forgottenTables).flatMap(
    ([table, { emptied, cleaned, named, deleted, rest }]) =>
      [emptied, named, deleted, Object.keys(cleaned ?? {}).join(' '), ...Object.values(rest ?? {})]
        .flatMap(columnsIn)
        .map((column) => `${table}.${column}`),
  ),
  ...Object.values(keptTables)
    .flatMap(Object.entries)
    .flatMap(([table, names]) => columnsIn(names).map((column) => `${table}.${column}`)),
];

/** What is wrong between the columns of a database and the lines above, a sentence each. */
export function judgeColumns(columns: readonly string[]): readonly string[] {
  const place = 'service/src/domain/people/forgotten-tables.ts';
  const lacking = columns.filter((column) => !columnsWithLine.includes(column));
  const dead = columnsWithLine.filter((column) => !columns.includes(column));
  const twice = columnsWithLine.filter((column, at) => columnsWithLine.indexOf(column) !== at);
  return [
    ...lacking.map(
      (column) =>
        `${column} has no line in ${place}: say there what forgetting a customer does with it, and make forget_customer do it`,
    ),
    ...dead.map((column) => `${column} is no column any more: take it out of ${place}`),
    ...twice.map((column) => `${column} has two lines in ${place}: leave one`),
  ];
}
