export const en = {
  testMode: 'Test mode: no real money.',
  sandbox: 'Sandbox: no real money.',
  questions: (email: string) => `Questions: ${email}`,
  askTheShop: 'Questions: ask the shop.',
  fact: (name: string, value: string) => `${name}: ${value}`,
  cardName: (brand: string, lastFour: string) => `${brand} ending in ${lastFour}`,

  receiptSubject: (number: string, shop: string) => `Receipt ${number} from ${shop}`,
  receiptHead: (number: string, day: string, shop: string) =>
    `Receipt ${number} of ${day}, from ${shop}`,
  receiptCopiedSubject: (number: string, shop: string) =>
    `Receipt ${number} from ${shop} was sent to another address`,
  receiptCopied: (number: string, shop: string, to: string) =>
    `${shop} sent your receipt ${number} to ${to}. If you did not ask for that, tell the shop.`,
  discount: 'Discount',
  paid: 'Paid',
  refunded: 'Refunded',
  paidWith: 'Paid with',
  toReadAndPrint: 'To read and print it:',

  refundSubject: (shop: string) => `Your refund from ${shop}`,

  refundFailedSubject: (shop: string) => `Your refund from ${shop} could not be paid out`,
  refundFailed: (sum: string) =>
    `${sum} could not be paid back to the card or account that you paid with.`,
  getInTouch: (shop: string) =>
    `Please get in touch with ${shop}, so that you get the money in another way.`,

  renewalFailedSubject: (shop: string) => `Your payment to ${shop} was declined`,
  renewalFailed: (sum: string, product: string) =>
    `${sum} for ${product} could not be charged. It is tried again in the next days.`,

  cardExpiresSubject: (shop: string) => `Your card at ${shop} expires`,
  cardExpires: (card: string, month: string, shop: string) =>
    `${card} expires with ${month}. A subscription at ${shop} is paid with it.`,

  manage: 'To see your payments and subscriptions:',

  endPlannedSubject: (shop: string) => `Your subscription at ${shop} is to end`,
  endPlanned: (product: string, day: string) =>
    `${product} runs until ${day} and then ends. Nothing more is charged.`,
  resumedSubject: (shop: string) => `Your subscription at ${shop} continues`,
  resumed: (product: string, day: string) => `${product} continues. It is renewed on ${day}.`,
  endedSubject: (shop: string) => `Your subscription at ${shop} has ended`,
  ended: (product: string) => `${product} has ended. Nothing more is charged.`,

  pageLinkSubject: (shop: string) => `Your link to your purchases at ${shop}`,
  lookAtPurchases: 'To look at your subscriptions, payments and cards:',
  lookAtCard: 'To look at your card, and save another one:',
  linkWorks: 'The link works for seven days.',

  confirmAddressSubject: (shop: string) => `Confirm your new address at ${shop}`,
  confirmAddress: (shop: string) =>
    `${shop} is to mail you at this address from now on. Confirm that on this page:`,
  confirmWorks:
    'The link works for one day. If you did not ask for this, ignore this mail: nothing changes then.',
  addressChangedSubject: (shop: string) => `Your address at ${shop} was changed`,
  addressChanged: (shop: string, to: string) =>
    `Mails of ${shop} now go to ${to}, and no longer to this address.`,
  addressNotYou: (shop: string) => `If that was not you, tell ${shop} at once.`,

  receipt: (number: string) => `Receipt ${number}`,
  refundReceipt: (number: string) => `Refund receipt ${number}`,
  whatWasBought: 'What was bought',
  item: 'Item',
  quantity: 'Quantity',
  sum: 'Sum',
  paidOn: 'Paid on',
  refundedOn: 'Refunded on',
  refundedSince: 'Refunded since',
  issuedOn: 'Issued on',
  referenceName: 'Reference',
  taxNumberName: 'Tax number',
  questionsName: 'Questions',
  noReceipt: 'No receipt',
  noReceiptTitle: 'There is no receipt at this address',
  noReceiptText: 'Check that you have copied the whole address, or ask the shop for it again.',
};

/** What buyers read in mails and on receipts. */
export type BuyerWords = typeof en;
