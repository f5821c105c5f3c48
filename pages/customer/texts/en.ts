// The texts of the customer's page in English. Every other language has the same keys. The texts of the
// card form, the bank's challenge and the notices are those of the checkout page.

export const en = {
  title: 'Your saved cards',
  titleWallets: 'Your saved wallets',
  at: (merchant: string) => `at ${merchant}`,
  signedAs: (email: string) => `For ${email}`,
  intro: 'The shop can charge these cards for your orders. It never sees their numbers.',
  introWallets: 'The shop can charge these wallets for your orders.',
  loading: 'Loading your cards',
  empty: 'No card is saved',
  emptyText: 'Add one, and you need not type it again with your next order.',
  default: 'Default',
  wallet: 'Wallet',
  expiresSoon: (date: string) => `Expires soon: ${date}`,

  add: 'Add a card',
  replace: 'Replace',
  replaceNote: (card: string) => `Once the new card is saved, ${card} is removed.`,
  remove: 'Remove',
  removing: 'Removing…',
  leaving: 'The removal is not complete yet.',
  makeDefault: 'Make default',
  changing: 'Changing…',

  askTitle: (card: string) => `Remove ${card}?`,
  askText: 'The shop can then no longer charge it.',
  /** For a customer with another card that could take over. */
  askMoves:
    'Subscriptions that are paid with it move to another saved card, where one can take over.',
  askYes: 'Remove card',
  askNo: 'Keep card',

  added: 'The card was added.',
  replaced: (card: string) => `The new card was added, and ${card} was removed.`,
  removed: (card: string) => `${card} was removed.`,
  defaultChanged: (card: string) => `${card} is now the default.`,

  titleAll: 'Your purchases and cards',
  subscriptions: 'Subscriptions',
  payments: 'Payments',
  every: {
    day: (sum: string) => `${sum} every day`,
    week: (sum: string) => `${sum} every week`,
    month: (sum: string) => `${sum} every month`,
    year: (sum: string) => `${sum} every year`,
  },
  nextPaymentOn: (day: string) => `Next payment on ${day}`,
  renewedOn: (day: string) => `Renewed on ${day}`,
  triedAgainOn: (day: string) => `The payment failed. It is tried again on ${day}.`,
  endsOn: (day: string) => `Ends on ${day}. Nothing more is charged.`,
  endedOn: (day: string) => `Ended on ${day}`,
  paidWith: (card: string) => `Paid with ${card}`,
  end: 'Cancel subscription',
  takeBack: 'Continue subscription',
  endByShop: 'To cancel this subscription, ask the shop.',
  endTitle: (name: string) => `Cancel ${name}?`,
  endText: (day: string) =>
    `It runs until ${day}, and nothing more is charged. Until then you can continue it here.`,
  endNowText: 'Its last payment failed, so it ends at once. Nothing more is charged.',
  endYes: 'Cancel subscription',
  endNo: 'Keep subscription',
  ends: (name: string, day: string) => `${name} ends on ${day}.`,
  hasEnded: (name: string) => `${name} has ended.`,
  goesOn: (name: string, day: string) => `${name} continues. Next payment on ${day}.`,
  endFailed: 'The subscription was not cancelled',
  resumeFailed: 'The subscription was not continued',
  receiptFailed: 'The receipt could not be opened',
  purchasesFailed: 'Your subscriptions and payments could not be loaded',
  payment: 'Payment',
  refund: 'Refund',
  states: {
    held: 'Reserved, not charged yet',
    processing: 'In progress',
    paid: 'Paid',
    partly_refunded: 'Partly refunded',
    refunded: 'Refunded',
  },
  receipt: 'Receipt',
  older: 'Show older payments',

  details: 'Your details',
  name: 'Name',
  noName: 'No name',
  language: 'Language',
  languageOfBrowser: 'As in your browser',
  change: 'Change',
  newEmail: 'New email address',
  newEmailHint: (email: string) => `At present ${email}. Leave the field empty to keep it.`,
  save: 'Save',
  pending: (email: string) => `Waits for your confirmation by the mail to ${email}.`,
  pendingDrop: 'Drop the new address',
  detailsSaved: 'Your details were saved.',
  addressMailed:
    'A mail is on its way to the new address. It counts once you have confirmed it by the link in that mail.',
  addressDropped: 'The new address was dropped.',
  detailsFailed: 'Your details were not saved',
  detailsUnread: 'Your details could not be loaded',
  emailWrong: 'This is no email address.',
  emailOften: 'This was asked for too often. Try again in an hour.',

  removeFailed: 'The card was not removed',
  addFailed: 'The card form could not be opened',
  defaultFailed: 'The default was not changed',
  problems: {
    customer_page_limited:
      'The shop’s link does not open this. Ask the shop to do it, or for another link.',
    payment_method_in_use:
      'A subscription is paid with this card, and no other saved card can take over. Add another card first, then remove this one.',
    payment_method_has_active_payment:
      'A payment with this card is not finished yet. Wait until it is, then try again.',
    payment_method_reassignment_requires_payer_action:
      'A subscription is paid with this wallet, and only you can approve another way. Ask the shop to change how it is paid, then remove the wallet.',
    payment_method_not_found: 'This card is no longer saved.',
    unusable: 'This card is being removed, or it cannot be used at present.',
    retry_delete:
      'The removal could not be completed yet. The card stays in this list until it is; please try again in a moment.',
    contact_support:
      'The removal could not be completed, and it is not certain how the card stands. Please ask the shop before you try again.',
    update_funding_manually:
      'What is paid with this card could not be moved to another one. Ask the shop to change how it is paid, then remove the card.',
    gateway_refused:
      'The shop cannot reach the card network at the moment. Nothing was changed; please tell the shop.',
    gateway_unavailable: 'The card network cannot be reached. Nothing was changed; try again.',
    gateway_outcome_unknown:
      'It is not known yet whether this worked. Load this page again in a minute.',
    subscription_ended: 'The subscription has ended already.',
    subscription_end_by_merchant:
      'The shop has ended this subscription. Ask the shop if you want to keep it.',
    customer_page_cancel_off: 'To cancel this subscription, ask the shop.',
    rate_limited: 'Too many tries. Please wait a minute.',
  },
  problemOther: 'This was refused. Nothing was changed.',

  find: 'Your purchases',
  findText: 'Type the address that you bought with. We mail a link to it.',
  findField: 'Email address',
  findSend: 'Mail me the link',
  findSent: 'If something was bought with this address, a link is on its way to it.',

  confirm: 'Confirm your new address',
  confirmText: 'The shop then mails to this address, and no longer to the former one.',
  confirmYes: 'Confirm address',
  confirmed: 'Your address was changed',
  confirmedText: (shop: string, email: string) => `${shop} now mails to ${email}.`,
  addressOverText:
    'It works for one day, and only the newest one does. Ask for the change again on your page.',

  gone: 'This link does not work',
  goneText:
    'The link is unknown or incomplete. Open it again where you got it, or ask the shop for a new one.',
  linkOver: 'This link has expired',
  linkOverText: 'A link of the shop works for ten minutes. Ask the shop for a new one.',
  mailOverText: 'A link in a mail works for seven days. We can mail a new one to the same address.',
  mailAgain: 'Mail me a new link',
  mailed: 'A new link is on its way to you.',
  expired: 'This page has expired',
  expiredText:
    'For your safety it works for half an hour. Open the link in the mail again, or ask the shop for a new one.',
  unreachableText: 'Please check your connection.',
};

export type CustomerTexts = typeof en;
