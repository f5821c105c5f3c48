// The page's texts in English. Every other language has the same keys.

export const en = {
  title: 'Checkout',
  backTo: (place: string) => `Back to ${place}`,
  back: 'Back to the shop',
  questions: 'Questions?',
  termsOf: (merchant: string) => `Terms of ${merchant}`,
  sandbox: 'Sandbox',
  testMode: 'Test mode',
  sandboxHint: 'No real money moves here. Test card: 4242\u00a04242\u00a04242\u00a04242.',
  summary: 'Your order',
  showAll: (count: number) => `Show all ${count} articles`,
  quantity: (count: number) => `${count} pieces`,
  total: 'Total',
  subtotal: 'Subtotal',
  discount: 'Discount',
  toPay: 'To pay',
  toHold: 'To be authorised',
  cardTitle: 'Card details',
  cardFrame: 'Card number, expiry date and security code',
  receiptFor: (email: string) => `Paying as ${email}`,
  pay: (amount: string) => `Pay ${amount}`,
  authorise: (amount: string) => `Authorise ${amount}`,
  holdLine: 'Your card is not charged now. The amount is reserved, and the shop charges it later.',
  safe: 'Your card number goes only to the card form of the payment provider, never to the shop.',
  paying: 'Paying…',
  authorising: 'Authorising…',
  payingHint: 'Please keep this page open.',
  loading: 'Loading your payment',

  payWith: 'Pay with',
  anyBrand: 'Card',
  savedCard: (brand: string, lastFour: string) => `${brand} ending in ${lastFour}`,
  otherCard: 'Another card',
  cardExpires: (date: string) => `Expires ${date}`,
  cardExpired: (date: string) => `Expired ${date}`,
  cardDeclined: 'Declined',
  keepCard: 'Save this card for my next payments to this shop',
  repeats: {
    day: (amount: string) => `then ${amount} every day`,
    week: (amount: string) => `then ${amount} every week`,
    month: (amount: string) => `then ${amount} every month`,
    year: (amount: string) => `then ${amount} every year`,
  },
  keepLine:
    'The card or wallet you pay with is saved and charged at each renewal until the subscription is cancelled.',
  cancelOnPage: 'You can cancel it on the page of your purchases.',
  cancelByShop: 'To cancel it, ask the shop.',

  redirecting: 'Taking you to your bank',
  redirectingWallet: 'Taking you to your wallet',
  challenge: 'Your bank is waiting for you',
  challengeElsewhere:
    'Finish the confirmation where your bank has opened it. This page goes on by itself afterwards.',
  challengeStop: 'Pay in another way',

  confirming: 'Confirm with your bank',
  confirmingWait: 'Connecting to your bank…',
  confirmingFrame: 'Confirmation page of your bank',
  confirmingTrouble: 'Does the page of your bank not appear?',
  confirmingHere: 'Open it in this window',
  cancel: 'Cancel',
  stopTitle: 'Stop the confirmation?',
  stopText: 'Then nothing is charged, and you can pay in another way.',
  stopYes: 'Stop',
  stopNo: 'Go on',

  wallet: 'Your wallet is waiting for you',
  walletText: 'Approve this payment in your wallet. Nothing is charged before you do.',
  walletOpen: 'Continue in your wallet',
  walletStop: 'Pay by card instead',
  walletPay: 'Pay with your wallet',
  orCard: 'or by card',

  couponOpen: 'Add a discount code',
  couponLabel: 'Discount code',
  couponApply: 'Apply',
  couponRemove: (code: string) => `Remove code ${code}`,
  couponApplied: (total: string) => `The code was applied. New total: ${total}`,
  couponRemoved: (total: string) => `The code was removed. New total: ${total}`,
  coupons: {
    coupon_unknown: 'This code does not exist. Please check how it is written.',
    coupon_inactive: 'This code cannot be used at present.',
    coupon_not_started: 'This code is not valid yet.',
    coupon_ended: 'This code is no longer valid.',
    coupon_exhausted: 'This code has already been used as often as it may be.',
    coupon_currency_differs: 'This code does not apply to the currency of your order.',
    coupon_repeated: 'This code is already part of your order.',
    coupon_without_effect: 'This code takes nothing off the articles of your order.',
    rate_limited: 'Too many codes were tried. Please wait a minute.',
    checkout_attempt_in_progress: 'A payment is under way. The code can be changed afterwards.',
  },
  couponOther: 'This code cannot be used for your order.',

  payPlain: 'Pay',
  cartComing: 'Waiting for your order',
  cartComingText:
    'The shop is still completing your order. The amount appears here in a moment, and nothing is charged before that.',

  setupLine: 'Nothing is charged now. The shop may charge this card for what you order later.',
  saved: 'Card saved',
  savedText: 'Your bank has confirmed the card. Nothing was charged.',
  /** Replace the texts of the same keys when a card is saved without a payment. */
  setup: {
    title: 'Save a card',
    loading: 'Loading the card form',
    cardTitle: 'Save a card',
    receiptFor: (email: string) => `Will be saved for ${email}`,
    payPlain: 'Save card',
    paying: 'Saving…',
    challengeStop: 'Use another card',
    stopText: 'Then the card is not saved, and you can use another one.',
    checking: 'We are checking your card',
    checkingText: 'This can take a moment. The result appears here by itself.',
    expired: 'This link has expired',
    expiredText: 'No card was saved. Go back to the shop and start again.',
    canceled: 'This was cancelled',
    canceledText: 'No card was saved.',
    declineOther: 'The bank has refused the card.',
    problemTitle: 'The card was not saved',
  },

  checking: 'We are checking your payment',
  checkingText:
    'This can take a moment. Please do not pay again; the result appears here by itself.',
  checkingLong:
    'It takes longer than usual. You may close this page: the shop hears of the result from us.',
  checkingOffline: 'The connection is down. We go on checking as soon as it is back.',

  succeeded: 'Payment complete',
  succeededText: (amount: string) => `You have paid ${amount}. Thank you.`,
  complete: 'Complete order',
  completing: 'Completing…',
  freeLine: 'Nothing is due, so no card is needed.',
  ordered: 'Order complete',
  orderedText: 'Nothing was due, and nothing was charged. Thank you.',
  authorized: 'Payment authorised',
  authorizedText: (amount: string) =>
    `${amount} is reserved on your card. You are not charged yet.`,
  authorizedUntil: (date: string) =>
    `The shop can charge it until ${date}; after that the hold ends.`,
  /** For a later visit: it is not known here whether the hold was charged or released meanwhile. */
  authorizedBefore: (amount: string, date: string) =>
    `${amount} was reserved on your card on ${date}. The shop can tell you what has become of it.`,
  continueTo: (place: string) => `Continue to ${place}`,
  continue: 'Continue to the shop',
  returning: 'Taking you back to the shop…',
  reference: 'Payment reference',

  expired: 'This payment link has expired',
  expiredText: 'Nothing was charged. Go back to the shop and start the payment again.',
  canceled: 'This payment was cancelled',
  canceledText: 'Nothing was charged.',
  returned: 'You can close this page',
  returnedText: 'It goes on where you began, and the shop hears of the result from us.',
  notFound: 'This payment link does not work',
  notFoundText:
    'It may be incomplete, or it belongs to another browser tab. Open the link of the shop again.',
  unusable: 'This payment cannot be made here',
  unusableText: 'The shop has sent an incomplete request. Nothing was charged; please go back.',
  unreachable: 'We cannot reach the payment service',
  unreachableText: 'Please check your connection.',
  retry: 'Try again',

  formTitle: 'The card form did not load',
  formProblems: {
    blocked_by_csp: 'A security rule of this page blocks it. Please tell the shop.',
    blocked_by_extension_or_network:
      'A browser extension or the network may block it. Switch off blockers for this page, then try again.',
    origin_not_allowed: 'The shop has not allowed this address. Please tell the shop.',
    session_expired: 'The form was open for too long.',
    version_mismatch: 'This page is out of date.',
  },

  declineTitle: 'The card was declined',
  declines: {
    insufficient_funds: 'The card does not have enough funds.',
    lost_card: 'The bank does not accept this card.',
    stolen_card: 'The bank does not accept this card.',
    expired_card: 'The card has expired.',
    incorrect_cvc: 'The security code is not right.',
    invalid_cvc: 'The security code is not right.',
    incorrect_number: 'The card number is not right.',
    invalid_number: 'The card number is not right.',
    invalid_expiry_month: 'The expiry date is not right.',
    invalid_expiry_year: 'The expiry date is not right.',
    processing_error: 'The bank could not work on the payment just now.',
    authentication_required: 'Your bank wants you to confirm the payment.',
    authentication_failed: 'Your bank could not confirm that it is you.',
    card_not_supported: 'This card cannot be used for this payment.',
    currency_not_supported: 'The card does not support this currency.',
    card_velocity_exceeded: 'The card has reached its limit.',
    do_not_honor: 'The bank has refused, without giving a reason.',
    generic_decline: 'The bank has refused, without giving a reason.',
  },
  declineOther: 'The bank has refused the payment.',
  advices: {
    try_again_later: 'Nothing was charged. Try again in a while, or use another card.',
    confirm_card_data: 'Nothing was charged. Check the card details and try again.',
    do_not_try_again: 'Nothing was charged. Please use another card, or ask your bank.',
  },

  adviceOther: 'Nothing was charged. Try again, or use another card.',

  problemTitle: 'The payment was not made',
  problems: {
    gateway_refused:
      'The shop cannot take payments at the moment. Nothing was charged; please tell the shop.',
    gateway_unavailable:
      'The card network cannot be reached. Nothing was charged; please try again.',
    service_unavailable: 'The payment service is busy. Nothing was charged; please try again.',
    rate_limited: 'Too many attempts. Nothing was charged; please wait a minute, then try again.',
    session_locked:
      'Too many attempts. Nothing was charged, and no more cards are taken here. Go back to the shop and start again.',
    not_received: 'The payment did not reach us. Nothing was charged; you can try again.',
    card_token_spent: 'Please enter your card again. Nothing was charged.',
    form_unavailable: 'The card form got no answer. Nothing was charged; please try again.',
    form_refused:
      'The card form cannot take a card here. Nothing was charged; please tell the shop.',
    wallet_declined: 'Your wallet has declined. Nothing was charged; try again, or pay by card.',
    amount_not_supported:
      'This total cannot be paid here. Nothing was charged; please change your order at the shop.',
    capture_method_not_supported:
      'Your wallet cannot be used for this order. Nothing was charged; please pay by card.',
    challenge_canceled: 'The confirmation was cancelled. Nothing was charged; you can try again.',
    challenge_abandoned: 'It was not confirmed in time. Nothing was charged; you can try again.',
    buyer_not_verified:
      'The shop has to know who you are before it can save your card. Nothing was charged; please sign in at the shop and start again.',
    payment_method_not_found:
      'This card is no longer saved. Nothing was charged; please choose another one.',
    buyer_mismatch: 'This payment belongs to another buyer. Nothing was charged.',
    checkout_session_total_changed:
      'The total of your order has changed. Nothing was charged; please check it, then pay.',
    coupon_exhausted:
      'A discount code of your order has been used up. Nothing was charged; remove the code, then pay.',
    coupon_inactive:
      'A discount code of your order has been withdrawn. Nothing was charged; remove the code, then pay.',
    subscription_exists:
      'You have this subscription already, or another payment for it is under way. Nothing was charged; the shop can tell you about it.',
    checkout_session_claim_pending:
      'The shop has not completed your order yet. Nothing was charged; try again in a moment, or go back to the shop.',
  },
  waitText: (time: string) =>
    `Too many attempts. Nothing was charged. You can try again in ${time}.`,
  problemOther: 'Something in the request was refused. Nothing was charged.',
  problemReference: (code: string) => `Code: ${code}`,
};

export type Texts = typeof en;
