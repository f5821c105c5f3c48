// The calls about one merchant's people, tokens, applications and audit log.

import type { ApiToken, ApiTokenWithValue } from '@svc/contract/api-tokens';
import type { Application, ApplicationWithSecret } from '@svc/contract/applications';
import type { AuditEntry } from '@svc/contract/audit-log';
import type { BuyerMailKind } from '@svc/contract/buyer-mails';
import type { Client } from '@svc/contract/clients';
import type { BuyerLanguage } from '@svc/contract/languages';
import type { Invitation, Member } from '@svc/contract/members';
import type { Notifications } from '@svc/contract/notifications';
import type { Payment } from '@svc/contract/payments';
import type { RefundRule } from '@svc/contract/refund-rule';
import type { Sandbox, SandboxClockTime, SandboxFault } from '@svc/contract/sandbox';
import { type CallOptions, call, type ListPage } from '../../kit/calls.ts';
import type { Role } from '../../kit/members-words.ts';

type Method = Parameters<typeof call>[0];

/** The wishes for a new token. */
export type TokenWish = {
  readonly name: string;
  readonly description: string | null;
  readonly expiresAt: string | null;
  readonly scopes: readonly string[] | null;
};

/** The merchant's profile for buyers. Null removes a value. */
export type BusinessWish = Pick<
  Client,
  'businessName' | 'logoUrl' | 'supportEmail' | 'termsUrl' | 'brandColor' | 'timeZone'
>;

export type RefundRuleWish = Pick<RefundRule, 'limits' | 'otherCurrencies' | 'financeApproves'>;

export type ApplicationWish = {
  readonly name: string;
  readonly uri: string | null;
  readonly kind: Application['kind'];
  readonly redirectUris: readonly string[];
  readonly scopes: Application['scopes'];
};

export type MerchantProps = {
  readonly calls: MerchantCalls;
  /** The person's own role, which may have changed since it was read. */
  readonly role: Role;
  readonly isSandbox: boolean;
  /** Called when the person has changed the own role. */
  readonly onOwnRole: () => void;
};

const part = encodeURIComponent;

export class MerchantCalls {
  readonly clientId: string;

  constructor(clientId: string) {
    this.clientId = clientId;
  }

  listTokens = async (): Promise<readonly ApiToken[]> =>
    (await this.#send<{ data: readonly ApiToken[] }>('GET', '/v1/api-tokens')).data;

  createToken(wish: TokenWish): Promise<ApiTokenWithValue> {
    return this.#send('POST', '/v1/api-tokens', wish);
  }

  rotateToken(id: string, overlapSeconds: number): Promise<ApiTokenWithValue> {
    return this.#send('POST', `/v1/api-tokens/${part(id)}/rotate`, { overlapSeconds });
  }

  revokeToken(id: string): Promise<null> {
    return this.#send('DELETE', `/v1/api-tokens/${part(id)}`);
  }

  listMembers = (): Promise<readonly Member[]> =>
    this.#all('/v1/members?sortField=createdAt&sortDirection=ASC');

  /** `tokenIds`: the API tokens that may stop with it. */
  changeRole(userId: string, role: Role, tokenIds: readonly string[] = []): Promise<Member> {
    const body = { role, ...(tokenIds.length > 0 ? { tokenIds } : {}) };
    return this.#send('PATCH', `/v1/members/${part(userId)}`, body);
  }

  /** `tokenIds`: the API tokens that may stop with the membership. */
  removeMember(userId: string, tokenIds: readonly string[]): Promise<null> {
    return this.#send('DELETE', `/v1/members/${part(userId)}${agreedQuery(tokenIds)}`);
  }

  leave(tokenIds: readonly string[]): Promise<null> {
    return call('DELETE', `/v1/account/memberships/${part(this.clientId)}${agreedQuery(tokenIds)}`);
  }

  /** Lists invitations that are open or expired, newest first. */
  listInvitations = async (): Promise<readonly Invitation[]> => {
    const all = await this.#all<Invitation>('/v1/invitations?sortField=createdAt');
    return all.filter(({ status }) => status === 'open' || status === 'expired');
  };

  invite(email: string, role: Role): Promise<Invitation> {
    return this.#send('POST', '/v1/invitations', { email, role });
  }

  revokeInvitation(id: string): Promise<null> {
    return this.#send('DELETE', `/v1/invitations/${part(id)}`);
  }

  listApplications = (): Promise<readonly Application[]> =>
    this.#all('/v1/applications?sortField=createdAt');

  createApplication(wish: ApplicationWish): Promise<ApplicationWithSecret> {
    return this.#send('POST', '/v1/applications', wish);
  }

  updateApplication({ id, version }: Application, wish: ApplicationWish): Promise<Application> {
    const { name, uri, redirectUris, scopes } = wish;
    const body = { version, name, uri, redirectUris, scopes };
    return this.#send('PATCH', `/v1/applications/${part(id)}`, body);
  }

  rotateApplicationSecret(id: string): Promise<ApplicationWithSecret> {
    return this.#send('POST', `/v1/applications/${part(id)}/rotate-secret`, {});
  }

  removeApplication(id: string): Promise<null> {
    return this.#send('DELETE', `/v1/applications/${part(id)}`);
  }

  readClient = (): Promise<Client> => this.#send('GET', '/v1/client');

  updateBusiness(wish: BusinessWish): Promise<Client> {
    return this.#send('PATCH', '/v1/client', wish);
  }

  chooseBuyerLanguage(buyerLanguage: BuyerLanguage): Promise<Client> {
    return this.#send('PATCH', '/v1/client', { buyerLanguage });
  }

  switchBuyerMail(kind: BuyerMailKind, isOn: boolean): Promise<Client> {
    return this.#send('PATCH', '/v1/client', { buyerMails: { [kind]: isOn } });
  }

  readRefundRule = (): Promise<RefundRule> => this.#send('GET', '/v1/refund-rule');

  updateRefundRule(wish: RefundRuleWish): Promise<RefundRule> {
    return this.#send('PUT', '/v1/refund-rule', wish);
  }

  readNotifications = (): Promise<Notifications> => call('GET', this.#notifications);

  saveNotification(
    kind: Notifications['data'][number]['kind'],
    choice: Notifications['data'][number]['choice'],
  ): Promise<Notifications> {
    return call('PUT', this.#notifications, { body: { choices: [{ kind, choice }] } });
  }

  get #notifications(): string {
    return `/v1/account/notifications?clientId=${part(this.clientId)}`;
  }

  readSandbox = (): Promise<Sandbox> => this.#send('GET', '/v1/sandbox');

  advanceClock(seconds: number): Promise<SandboxClockTime> {
    return this.#send('POST', '/v1/sandbox/clock/advance', { seconds });
  }

  plantFault(action: string, count: number): Promise<SandboxFault> {
    return this.#send('POST', '/v1/sandbox/faults', { action, count });
  }

  clearFaults(): Promise<null> {
    return this.#send('DELETE', '/v1/sandbox/faults');
  }

  disputePayment(paymentId: string, reason: string): Promise<null> {
    return this.#send('POST', '/v1/sandbox/disputes', { paymentId, reason });
  }

  failRefund(refundId: string): Promise<null> {
    return this.#send('POST', '/v1/sandbox/refund-failures', { refundId });
  }

  /** Lists the newest payments or refunds that succeeded. */
  listSucceeded = async (type: 'purchase' | 'refund'): Promise<readonly Payment[]> => {
    const query = `type[eq]=${type}&status[eq]=succeeded&sortField=createdAt&sortDirection=DESC&limit=20`;
    return (await this.#send<ListPage<Payment>>('GET', `/v1/payments?${query}`)).data;
  };

  listAuditEntries = (query: string): Promise<ListPage<AuditEntry>> =>
    this.#send('GET', `/v1/audit-entries?${query}`);

  /** Reads a whole list page by page, a thousand rows at most. */
  async #all<T>(path: string): Promise<readonly T[]> {
    const found: T[] = [];
    let cursor: string | null = null;
    do {
      const onwards: string = cursor ? `&cursor=${part(cursor)}` : '';
      const read: ListPage<T> = await this.#send('GET', `${path}&limit=100${onwards}`);
      found.push(...read.data);
      cursor = read.nextCursor;
    } while (cursor && found.length < 1000);
    return found;
  }

  #send<T>(method: Method, path: string, body?: unknown): Promise<T> {
    const options: CallOptions = { clientId: this.clientId };
    return call(method, path, body === undefined ? options : { ...options, body });
  }
}

const agreedQuery = (tokenIds: readonly string[]): string =>
  tokenIds.length > 0 ? `?tokenIds=${tokenIds.map(part).join(',')}` : '';
