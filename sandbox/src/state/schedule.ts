// Tasks that happen by themselves later, by the sandbox's clock: holds expire, refunds arrive or fail,
// disputes open and are decided. Stored on disk and checked before every call and every second.
import type { Store } from './store.ts';

export type Task =
  | 'expire_hold'
  | 'finish_payment'
  | 'finish_refund'
  | 'fail_refund'
  | 'open_dispute'
  | 'answer_dispute'
  | 'close_inquiries'
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
  /** Runs the due tasks, oldest first, each in a transaction of its own. */
  runDue: (nowMs: number) => void;
};

/** `run` receives each task once. A task does nothing when its object has changed meanwhile. */
export const createSchedule = (store: Store, run: (due: DueTask) => void): Schedule => {
  const findNextDue = (): number => {
    const row = store.one('select min(due_at) as due_at from schedule');
    return row === undefined || row.due_at === null || row.due_at === undefined
      ? Number.POSITIVE_INFINITY
      : Number(row.due_at);
  };
  // Kept in memory, so that a call without due tasks costs one comparison. After a rollback it may be too
  // early, but never too late.
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
