/**
 * The bytes of a base64url text in canonical spelling; undefined for any other text. Node's decoder skips
 * characters that are not base64url, and drops the bits of the last one that no byte needs: without this
 * check many texts would stand for one secret.
 */
export function parseBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
