import { updateTokenUse } from '../../../storage/api-tokens/api-tokens.ts';
import type { Ports } from '../../ports.ts';

/** Writes `lastUsedAt`, at most once per token per hour. Best effort. Spec: Authentication 8. */
export async function recordTokenUse(
  tokenIds: readonly string[],
  ports: Pick<Ports, 'database'>,
): Promise<void> {
  if (tokenIds.length > 0) await updateTokenUse(ports.database, tokenIds);
}
