// What happens by itself later, on the sandbox's clock: holds run out, refunds arrive or fail,
// disputes open and are decided.
// Kept on disk; looked at before every call and every second.
import type { Store } from './store.ts';

export type Task =
  | 'expire_hold'
  | 'finish_payment'
  | 'finish_refund'
  | 'fail_refund'
  | 'open_dispute'
  | 'win_dispute'
  | 'lose_dispute'
  | 'escalate_dispute'
  | 'expire_checkout'
  | 'wallet_finish_capture'
  | 'wallet_deny_capture'
  | 'wallet_finish_refund'
  | 'wallet_fail_refund'
  | 'wallet_keep_payer';
export type DueTask = { task: Task; account: string; object: string };

export type Schedule = {
  add: (dueAtMs: number, due: DueTask) => void;
  /** Runs what is due, oldest first, each in a transaction of its own. */
  runDue: (nowMs: number) => void;
};

/** `run` is given each task once; one whose object has moved on does nothing. */
export const createSchedule = (store: Store, run: (due: DueTask) => void): Schedule => {
  const findNextDue = (): number => {
    const row = store.one('select min(due_at) as due_at from schedule');
    return row === undefined || row.due_at === null || row.due_at === undefined
      ? Number.POSITIVE_INFINITY
      : Number(row.due_at);
  };
  // Kept in memory so that a call that finds nothing due costs one comparison. It may be too early
  // after a rollback, never too late.
  let nextDue = findNextDue();
  return {
    add: (dueAtMs, due) => {
      store.run(
        'insert into schedule (due_at, task, account, object) values (?, ?, ?, ?)',
        dueAtMs,
        due.task,
        due.account,
        due.object,
      );
      nextDue = Math.min(nextDue, dueAtMs);
    },
    runDue: (nowMs) => {
      if (nowMs < nextDue) return;
      for (;;) {
        const row = store.one(
          'select * from schedule where due_at <= ? order by due_at, seq limit 1',
          nowMs,
        );
        if (!row) break;
        store.transaction(() => {
          store.run('delete from schedule where seq = ?', row.seq ?? null);
          run({
            task: row.task as Task,
            account: String(row.account),
            object: String(row.object),
          });
        });
      }
      nextDue = findNextDue();
    },
  };
};
