// What becomes of each table when a customer is forgotten, in words for who runs the service. The same list for who
// decides about it is in docs/operating/erasure.md.

/** In the order in which the rows are told. */
export const forgottenTables: Readonly<Record<string, string>> = {
  customers: 'name, email and metadata of the customer are blanked',
  customer_words: 'name and email are deleted from the search for customers',
  checkout_sessions: 'email, metadata, language and return addresses of sessions are blanked',
  payments: 'email, metadata and card details of payments and refunds are blanked',
  payment_index: 'email and card details are blanked in the list of payments',
  payment_words: 'words of metadata are deleted from the search for payments',
  payment_operations: 'the same is blanked in answers that are kept for repeated requests',
  card_setups: 'card details of saved cards are blanked',
  subscriptions: 'metadata of subscriptions is blanked',
  refund_requests: 'notes on refunds that somebody had to approve are deleted',
  unknown_money: 'email is blanked on money that was found at the provider',
  events:
    'email, metadata and card details and notes on refunds are blanked in events for webhooks',
  webhook_attempts: 'the answers of webhook endpoints to these events are deleted',
  webhook_tester_requests: 'these events are deleted from the webhook tester',
  notes: 'notes of your people are deleted',
  exports: 'kept files of all payments of this merchant are deleted, and can be made again',
  export_schedules: 'files of each month whose filters name the person are made no more',
  customer_page_links: "links to the customer's own page are deleted",
  buyer_mails: 'the masked address is blanked in the list of mails to buyers',
  mails: 'the address is blanked in mails, and mails that wait are not sent',
  audit_entries: 'texts of notes and filters with the person are blanked in the audit log',
  views: 'filters with the person are taken out of saved views',
};
