// Why refunds are refused; part of the table in errors.ts. Contract §2, Refunds; additions §2.

export const refundErrors = {
  refund_amount_exceeds_available: {
    status: 422,
    message: 'The amount is more than can still be refunded of this payment.',
    isAfterKey: true,
  },
  payment_not_captured: {
    status: 422,
    message: 'The payment is a hold: no money was taken. Release the hold, or capture it first.',
    isAfterKey: true,
  },
  payment_voided: {
    status: 422,
    message: 'The hold of this payment was released: no money was taken that could go back.',
    isAfterKey: true,
  },
  payment_failed: {
    status: 422,
    message: 'The payment failed: there is no money of it that could go back.',
    isAfterKey: true,
  },
  payment_unfinished: {
    status: 422,
    message:
      'The outcome of the payment is not known yet. Read it again and refund it once it succeeded.',
    isAfterKey: true,
  },
  payment_is_refund: {
    status: 422,
    message: 'This is itself a refund. Refund its purchase, which parentPaymentId names.',
    isAfterKey: true,
  },
  payment_is_chargeback: {
    status: 422,
    message: 'This is a chargeback: the bank has taken the money back. It cannot be refunded.',
    isAfterKey: true,
  },
  refund_limit_exceeded: {
    status: 403,
    message: 'This is above your refund limit. Ask for approval.',
    isAfterKey: true,
  },
  refund_request_not_found: { status: 404, message: 'No such refund request.' },
  refund_request_decided: {
    status: 409,
    message: 'The request was already approved, declined or withdrawn. Read it again.',
    isAfterKey: true,
  },
  refund_request_expired: {
    status: 409,
    message: 'The refund request has expired. Make another.',
    isAfterKey: true,
  },
  refund_requester_gone: {
    status: 409,
    message: 'The person who requested this refund may no longer make refunds.',
    isAfterKey: true,
  },
  own_refund_request: {
    status: 403,
    message: 'Somebody else must approve your own request.',
    isAfterKey: true,
  },
  no_second_person: {
    status: 409,
    message: 'Nobody else at this merchant may approve refunds.',
    isAfterKey: true,
  },
} as const;
