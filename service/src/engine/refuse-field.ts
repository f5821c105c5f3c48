import { refuse } from './implement.ts';

/** Refuses invalid_request for a field that has the row's form and still cannot be accepted. */
export const refuseField = (param: string, message: string): never =>
  refuse('invalid_request', {
    param,
    message,
    errors: [{ path: param, code: 'invalid_request', message }],
  });
