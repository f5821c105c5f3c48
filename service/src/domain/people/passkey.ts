// What is ours of passkeys: which keys are asked for and whose they are. The ceremony is judged by
// engine/steps/people/passkey-proof.ts.

/** COSE algorithms that are taken: ECDSA on P-256 and RSASSA-PKCS1-v1_5, both with SHA-256. RFC 9053. */
export const passkeyAlgorithms = [-7, -257] as const;
export type PasskeyAlgorithm = (typeof passkeyAlgorithms)[number];

/** Bytes of base64url text in its one spelling; undefined for any other. */
export function parseBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}

/** The user handle: the person's id, 16 bytes. */
export const userHandle = (userId: string): string =>
  Buffer.from(userId.replaceAll('-', ''), 'hex').toString('base64url');
