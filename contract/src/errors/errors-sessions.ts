// Refusals about the price and the place of a checkout session. Contract §3.

export const sessionErrors = {
  coupons_not_accepted: {
    status: 403,
    message: 'The merchant set the price of this session: only the merchant changes its coupons.',
  },
  checkout_session_reference_taken: {
    status: 409,
    message:
      'This reference is taken: see errors. Send the buyer to an open session, or end it by replaces: true; cancel or refund a payment first. A completed order without a payment keeps it.',
  },
  checkout_session_total_changed: {
    status: 409,
    message:
      'The session’s total differs from expectedTotal. Nothing was charged. Show the buyer the new total.',
  },
} as const;
