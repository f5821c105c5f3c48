// The wallet's refusals: its error envelope, with the issue by which clients distinguish them.

const names: Readonly<Record<number, string>> = {
  400: 'INVALID_REQUEST',
  401: 'AUTHENTICATION_FAILURE',
  403: 'NOT_AUTHORIZED',
  404: 'RESOURCE_NOT_FOUND',
  409: 'RESOURCE_CONFLICT',
  422: 'UNPROCESSABLE_ENTITY',
  429: 'RATE_LIMIT_REACHED',
  500: 'INTERNAL_SERVER_ERROR',
};

type Link = { href: string; rel: string; method: string };

type ErrorFields = {
  /** JSON pointer to the field. */
  field?: string;
  links?: Link[];
  /** Writes before the refusal are committed: a declined order goes back to its payer. */
  keepsWrites?: boolean;
  /** The response is stored for the key and replayed. */
  isRemembered?: boolean;
};

export class WalletError extends Error {
  readonly status: number;
  readonly issue: string | undefined;
  readonly facts: ErrorFields;

  constructor(status: number, issue?: string, facts: ErrorFields = {}) {
    super(issue ?? names[status] ?? 'error');
    this.status = status;
    this.issue = issue;
    this.facts = facts;
  }
}

/** Returns the body of a refusal. The newer parts of the API have messages of their own, orders do not. */
export const errorBody = (error: WalletError, debugId: string, path: string): object => {
  const { status, issue, facts } = error;
  const name = names[status] ?? 'INTERNAL_SERVER_ERROR';
  const location = facts.field === undefined ? {} : { field: facts.field, location: 'body' };
  return {
    name,
    debug_id: debugId,
    ...(path.startsWith('/v2/') ? {} : { message: issue ?? name }),
    ...(issue === undefined ? {} : { details: [{ issue, ...location }] }),
    ...(facts.links ? { links: facts.links } : {}),
  };
};

export const malformedField = (field: string) =>
  new WalletError(400, 'INVALID_PARAMETER_SYNTAX', { field });

export const required = (field: string) =>
  new WalletError(400, 'MISSING_REQUIRED_PARAMETER', { field });

/** The error of a call that a state or a rule does not allow. */
export const unprocessable = (issue: string, facts: ErrorFields = {}) =>
  new WalletError(422, issue, facts);

/** The error of an object that does not exist or belongs to another account. */
export const missingResource = () => new WalletError(404, 'INVALID_RESOURCE_ID');
