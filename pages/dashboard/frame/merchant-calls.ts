import type { Application } from '@svc/contract/applications';
import { call } from '../../kit/calls.ts';
import type { Role } from '../../kit/members-words.ts';
import type { InputFor } from '../../kit/rows.ts';

export type TokenWish = InputFor<'POST /v1/api-tokens'>['body'];
export type ApplicationWish = InputFor<'POST /v1/applications'>['body'];

export type MerchantProps = {
  readonly calls: MerchantCalls;
  /** The person's own role, which may have changed since it was read. */
  readonly role: Role;
  readonly isSandbox: boolean;
  /** Called when the person has changed the own role. */
  readonly onOwnRole: () => void;
};

export class MerchantCalls {
  readonly clientId: string;

  constructor(clientId: string) {
    this.clientId = clientId;
  }

  listTokens = async () => (await call('GET /v1/api-tokens', {}, this)).data;

  createToken = (body: TokenWish) => call('POST /v1/api-tokens', { body }, this);

  rotateToken = (id: string, overlapSeconds: number) =>
    call('POST /v1/api-tokens/{id}/rotate', { id, body: { overlapSeconds } }, this);

  revokeToken = (id: string) => call('DELETE /v1/api-tokens/{id}', { id }, this);

  listMembers = () =>
    readAll((place) =>
      call('GET /v1/members', { sortField: 'createdAt', sortDirection: 'ASC', ...place }, this),
    );

  /** `tokenIds`: the API tokens that may stop with it. */
  changeRole = (userId: string, role: Role, tokenIds: readonly string[] = []) => {
    const body = { role, ...(tokenIds.length > 0 ? { tokenIds: [...tokenIds] } : {}) };
    return call('PATCH /v1/members/{userId}', { userId, body }, this);
  };

  /** `tokenIds`: the API tokens that may stop with the membership. */
  removeMember = (userId: string, tokenIds: readonly string[]) =>
    call('DELETE /v1/members/{userId}', { userId, ...agreed(tokenIds) }, this);

  leave = (tokenIds: readonly string[]) =>
    call('DELETE /v1/account/memberships/{clientId}', {
      clientId: this.clientId,
      ...agreed(tokenIds),
    });

  /** Lists invitations that are open or expired, newest first. */
  listInvitations = async () => {
    const all = await readAll((place) =>
      call('GET /v1/invitations', { sortField: 'createdAt', ...place }, this),
    );
    return all.filter(({ status }) => status === 'open' || status === 'expired');
  };

  invite = (email: string, role: Role) =>
    call('POST /v1/invitations', { body: { email, role } }, this);

  revokeInvitation = (invitationId: string) =>
    call('DELETE /v1/invitations/{invitationId}', { invitationId }, this);

  listApplications = () =>
    readAll((place) => call('GET /v1/applications', { sortField: 'createdAt', ...place }, this));

  createApplication = (body: ApplicationWish) => call('POST /v1/applications', { body }, this);

  updateApplication = ({ id, version }: Application, wish: ApplicationWish) => {
    const { kind: _, ...changes } = wish;
    return call('PATCH /v1/applications/{id}', { id, body: { version, ...changes } }, this);
  };

  rotateApplicationSecret = (id: string) =>
    call('POST /v1/applications/{id}/rotate-secret', { id, body: {} }, this);

  removeApplication = (id: string) => call('DELETE /v1/applications/{id}', { id }, this);

  listAuditEntries = (query: string) =>
    call('GET /v1/audit-entries', {}, { clientId: this.clientId, query });
}

type Place = { readonly limit: number; readonly cursor?: string };

/** Reads a whole list page by page, a thousand rows at most. */
async function readAll<T>(
  read: (
    place: Place,
  ) => Promise<{ readonly data: readonly T[]; readonly nextCursor: string | null }>,
): Promise<readonly T[]> {
  const found: T[] = [];
  let cursor: string | null = null;
  do {
    const { data, nextCursor } = await read({ limit: 100, ...(cursor ? { cursor } : {}) });
    found.push(...data);
    cursor = nextCursor;
  } while (cursor && found.length < 1000);
  return found;
}

const agreed = (tokenIds: readonly string[]) =>
  tokenIds.length > 0 ? { tokenIds: tokenIds.join(',') } : {};
