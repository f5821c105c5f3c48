import { hash } from 'node:crypto';
import { type ApiToken, mostActiveTokens, newApiToken } from '../../../domain/people/api-token.ts';
import {
  countOwnTokens,
  findNthNewest,
  insertOwnToken,
  lockMaker,
  type Owner,
} from '../../../storage/api-tokens/tokens-by-owner.ts';
import { readClock } from '../../../storage/database/clock.ts';
import type { Tx } from '../../../storage/database/database.ts';
import type { Ports } from '../../ports.ts';
import { type Change, notifyTokenCreated } from './notify-token-change.ts';

/** The token that is asked for. Every field has been validated except that `expiresAt` is in the future. */
export type TokenWish = Owner & Pick<ApiToken, 'name' | 'description' | 'scopes' | 'expiresAt'>;

export type IssueResult =
  /** `value` is only in this answer: the database stores its digest, so it cannot be shown again. */
  | { readonly kind: 'issued'; readonly token: ApiToken; readonly value: string }
  | { readonly kind: 'over' }
  | { readonly kind: 'not_a_member' }
  | { readonly kind: 'too_many' }
  | { readonly kind: 'crowded'; readonly waitSeconds: number; readonly perHour: number };

const hourMs = 3_600_000;

/**
 * Creates a token, one at a time for each user, so that the limits are exact over all processes.
 * Checked in this order: the owner is a member, `expiresAt` is in the future, at most ten tokens
 * are active, and the limit of the hour is kept. Contract §6, §10.
 */
export async function issueToken(
  tx: Tx,
  wish: TokenWish,
  { by, ports }: { readonly by: Change['by']; readonly ports: Ports },
): Promise<IssueResult> {
  if (!(await lockMaker(tx, wish))) return { kind: 'not_a_member' };
  const now = await readClock(tx);
  if (wish.expiresAt && wish.expiresAt <= now) return { kind: 'over' };
  if ((await countOwnTokens(tx, wish)) >= mostActiveTokens) return { kind: 'too_many' };
  const crowded = await waitForNext(tx, wish.userId, { now, ports });
  if (crowded) return crowded;

  const value = newApiToken(ports.randomBytes(32));
  const token: ApiToken = {
    id: ports.newId(),
    clientId: wish.clientId,
    userId: wish.userId,
    name: wish.name,
    description: wish.description,
    scopes: wish.scopes,
    createdAt: now,
    lastUsedAt: null,
    expiresAt: wish.expiresAt,
    revokedAt: null,
  };
  await insertOwnToken(tx, token, hash('sha256', value, 'buffer'));
  await notifyTokenCreated(tx, token, { by, now, ports });
  return { kind: 'issued', token, value };
}

async function waitForNext(
  tx: Tx,
  userId: string,
  { now, ports }: { readonly now: Date; readonly ports: Ports },
): Promise<IssueResult | null> {
  const perHour = ports.settings.attemptLimits?.tokensPerHour;
  if (perHour === undefined) return null;
  const first = await findNthNewest(tx, userId, perHour);
  const waitMs = first ? first.getTime() + hourMs - now.getTime() : 0;
  if (waitMs <= 0) return null;
  return { kind: 'crowded', waitSeconds: Math.ceil(waitMs / 1000), perHour };
}
