import type { rows } from '@svc/contract';
import type { Filter, InputOf } from '@svc/contract/rows/row';

type Input = Pick<InputOf<typeof rows.listPayments>, 'filters' | 'email' | 'sessionId'>;

/** Returns the filters, with `email=` and `sessionId=` written as filters with `[eq]`. */
export const expandFilters = ({ filters, email, sessionId }: Input): Filter[] => [
  ...filters,
  ...(email === undefined ? [] : [{ field: 'email', op: 'eq', values: [email] } as const]),
  ...(sessionId === undefined
    ? []
    : [{ field: 'sessionId', op: 'eq', values: [sessionId] } as const]),
];
