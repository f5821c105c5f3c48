// A call of the card provider's API with its response, for a test that compares both with their description.
export type CardExchange = {
  method: string;
  /** The path with /v1, without the query. */
  path: string;
  /** The body, or the query of a read. */
  form: string;
  version: string;
  idempotencyKey: string | null;
  /** The call came with a publishable key. */
  isByPage: boolean;
  status: number;
  body: string;
};
