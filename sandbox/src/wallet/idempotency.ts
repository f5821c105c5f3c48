// The memory behind `PayPal-Request-Id`. Each part of the API remembers a call for its own time and returns
// the first call's result for a repeat. A refusal is not remembered: the same id may try again.
import type { Clock } from '../state/clock.ts';
import type { Store } from '../state/store.ts';

export type KeyedCall = { account: string; key: string; path: string; keepMs: number };
export type StoredResponse = {
  status: number;
  body: string;
  request: string;
  order?: string | undefined;
};

export type WalletMemory = {
  /** Returns the first response. The same id on another path is another call. */
  find: (call: KeyedCall) => StoredResponse | undefined;
  keep: (call: KeyedCall, answer: StoredResponse) => void;
  knows: (account: string, key: string) => boolean;
  /** Deletes the key, for every account unless one is given. Returns how many responses were deleted. */
  forget: (key: string, account?: string) => number;
};

const table = `create table if not exists wallet_remembered (
  account text not null, key text not null, path text not null, status integer not null,
  body text not null, until integer not null, request text not null, order_id text, primary key (account, key, path)
) without rowid`;

export const createWalletMemory = (store: Store, clock: Clock): WalletMemory => {
  store.run(table);
  const findRow = (account: string, key: string, path?: string) =>
    store.one(
      `select * from wallet_remembered
       where account = ? and key = ? and path = coalesce(?, path) and until > ?`,
      account,
      key,
      path ?? null,
      clock.nowMs(),
    );
  return {
    find: ({ account, key, path }) => {
      const row = findRow(account, key, path);
      if (!row) return undefined;
      return {
        status: Number(row.status),
        body: String(row.body),
        request: String(row.request),
        order: row.order_id === null ? undefined : String(row.order_id),
      };
    },
    keep: ({ account, key, path, keepMs }, answer) => {
      store.run('delete from wallet_remembered where until <= ?', clock.nowMs());
      store.run(
        `insert or replace into wallet_remembered
         (account, key, path, status, body, until, request, order_id)
         values (?, ?, ?, ?, ?, ?, ?, ?)`,
        account,
        key,
        path,
        answer.status,
        answer.body,
        clock.nowMs() + keepMs,
        answer.request,
        answer.order ?? null,
      );
    },
    knows: (account, key) => findRow(account, key) !== undefined,
    forget: (key, account) =>
      store.all(
        `delete from wallet_remembered where key = ? and account = coalesce(?, account)
         returning key`,
        key,
        account ?? null,
      ).length,
  };
};
