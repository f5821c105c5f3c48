// Errors of saved views, exports, months and the erasure of customers; part of the table in errors.ts.

export const dashboardErrors = {
  search_being_prepared: {
    status: 503,
    message:
      'The search through the payments is still being prepared; preparedPercent says how far it is. Nothing was changed. Ask again later.',
    retryable: true,
    retryAfter: 5,
  },
  view_not_found: { status: 404, message: 'No such view.' },
  view_name_taken: {
    status: 409,
    message: 'A view of this list already has this name. Use another one.',
  },
  view_limit_reached: {
    status: 409,
    message: 'You have fifty views, or the merchant has fifty shared ones. Delete one first.',
  },
  export_not_found: { status: 404, message: 'No such kept file. Files are kept for seven days.' },
  export_not_ready: {
    status: 409,
    message: 'The file is not ready. Read its status until it is "ready".',
  },
  export_limit_reached: {
    status: 409,
    message: 'Too many files are in progress or kept. Wait for one, or delete one first.',
  },
  export_schedule_not_found: {
    status: 404,
    message: 'No such monthly file. Somebody may have ended it.',
  },
  export_schedule_limit_reached: {
    status: 409,
    message: 'The merchant has five monthly files already. End one of them first.',
  },
  customer_in_use: {
    status: 409,
    message:
      'This customer still has an open session, hold, refund request, dispute or subscription. Nothing was erased. Close it or wait, then try again.',
  },
  customer_forgotten: {
    status: 409,
    message:
      'This customer was forgotten, and the id takes no new data. Use a new id if the person comes back.',
  },
  month_not_over: {
    status: 409,
    message: 'The month is not over yet in the merchant’s time zone. Nothing was closed.',
  },
  month_closed: { status: 409, message: 'The month is closed already and cannot be changed.' },
} as const;
