/** The credential behind an operation. */
export type RequestInitiator = {
  readonly via: 'token' | 'oauth' | 'person';
  readonly userId: string;
  /** The id of the API token, OAuth grant or sign-in. */
  readonly tokenId: string;
  /** The network of the caller, as rate limits count it: an IPv4 address or an IPv6 /64. */
  readonly address?: string;
  /**
   * Set for a token that this request did not read from the database: the operation is claimed only
   * if the token is still valid.
   */
  readonly recalled?: { readonly tokenSha256: Buffer };
};
