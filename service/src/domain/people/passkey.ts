// Our own rules for passkeys: which keys are accepted and whose they are. The ceremony is verified
// by engine/steps/people/passkey-proof.ts.

/** The accepted COSE algorithms: ECDSA on P-256 and RSASSA-PKCS1-v1_5, both with SHA-256. RFC 9053. */
export const passkeyAlgorithms = [-7, -257] as const;
export type PasskeyAlgorithm = (typeof passkeyAlgorithms)[number];

/** The user handle of WebAuthn: the person's id, 16 bytes. */
export const userHandle = (userId: string): string =>
  Buffer.from(userId.replaceAll('-', ''), 'hex').toString('base64url');
