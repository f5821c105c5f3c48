// Failures of what only the dashboard and a merchant's own records need; part of the table in errors.ts.

export const dashboardErrors = {
  view_not_found: { status: 404, message: 'No such view.' },
  view_name_taken: {
    status: 409,
    message: 'A view of this list already has this name. Use another one.',
  },
  view_limit_reached: {
    status: 409,
    message: 'There are fifty views already, of your own or for everyone. Delete one first.',
  },
  export_not_found: { status: 404, message: 'No such kept file. Files are kept for seven days.' },
  export_not_ready: {
    status: 409,
    message: 'The file is not ready. Read its status, and ask again when it is "ready".',
  },
  export_limit_reached: {
    status: 409,
    message: 'Too many files are being made or kept. Wait for one, or delete one first.',
  },
  export_schedule_not_found: {
    status: 404,
    message: 'No such file of each month. Somebody may have ended it.',
  },
  export_schedule_limit_reached: {
    status: 409,
    message: 'Five files are made each month already. End one of them first.',
  },
  customer_in_use: {
    status: 409,
    message:
      'Something of this customer has not ended, and the customer was not forgotten. End it, or wait for its end, then try again.',
  },
  customer_forgotten: {
    status: 409,
    message:
      'This customer was forgotten: nothing more is written down under this id. Take a new id for who comes back.',
  },
  month_not_over: {
    status: 409,
    message: 'The month is not over yet in the merchant’s time zone. Nothing was closed.',
  },
  month_closed: { status: 409, message: 'The month is closed already and cannot be changed.' },
} as const;
