// The error types of the wire, by HTTP status. Contract §1, first table.

export type ErrorType =
  | 'validation_error'
  | 'authentication_error'
  | 'permission_error'
  | 'not_found_error'
  | 'conflict_error'
  | 'card_error'
  | 'rate_limit_error'
  | 'gateway_error'
  | 'api_error';

const types: Readonly<Record<number, ErrorType>> = {
  400: 'validation_error',
  401: 'authentication_error',
  402: 'card_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'validation_error',
  409: 'conflict_error',
  413: 'validation_error',
  415: 'validation_error',
  422: 'validation_error',
  429: 'rate_limit_error',
  431: 'validation_error',
  500: 'api_error',
  502: 'gateway_error',
  503: 'api_error',
};

/** Returns the error type for an HTTP status. Contract §1, first table. */
export function errorType(status: number): ErrorType {
  return types[status] ?? 'api_error';
}
