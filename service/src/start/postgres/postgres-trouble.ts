/** The reason why the embedded database is not available, as a text for the user. */
export class PostgresTrouble extends Error {
  override name = 'PostgresTrouble';
}

/**
 * Returns the code of a failed system call (`EACCES`) or of a PostgreSQL error (`57P03`), if it has one.
 */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
