/** Where a sealed value lives; bound into the ciphertext, so that a copied one does not open. */
export type SealedPlace = {
  readonly clientId: string;
  readonly table: string;
  readonly rowId: string;
  readonly field: string;
};

/** Envelope encryption: a key-encryption key wraps one data key per client. */
export type Sealed = {
  seal(place: SealedPlace, plain: string): Promise<Buffer>;
  open(place: SealedPlace, sealed: Buffer): Promise<string>;
};
