import { refuse } from './implement.ts';

/** Refuses a field that has the form of the row and still cannot be taken. */
export const refuseField = (param: string, message: string): never =>
  refuse('invalid_request', {
    param,
    message,
    errors: [{ path: param, code: 'invalid_request', message }],
  });
