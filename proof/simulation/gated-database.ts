// The product's Database on real PostgreSQL, with a gate before every statement and every commit,
// and with the faults of a connection. Reliability 2.1: F1-F3, F16, F19, F21.

import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import type {
  Database,
  TransactionScope,
  Tx,
} from '../../service/src/storage/database/database.ts';
import type { Query } from '../../service/src/storage/database/sql.ts';
import { lostConnection } from '../kit/lost-connection.ts';
import { currentActor, type Scheduler } from '../kit/scheduler.ts';
import type { Chances } from './chances.ts';
import type { Labels } from './labels.ts';

/**
 * A transaction whose client has died and which the server has not yet committed or rolled back.
 */
type OrphanTransaction = {
  readonly link: Link;
  readonly end: 'commit' | 'rollback';
  readonly label: string;
};

export type Link = pg.Client & { processID: number };

/**
 * Connections that are reused for many schedules: opening one costs more than a schedule's
 * statement.
 */
export class Links {
  readonly #url: string;
  readonly #idle: Link[] = [];
  readonly #all: Link[] = [];

  constructor(url: string) {
    this.#url = url;
  }

  async take(): Promise<Link> {
    const idle = this.#idle.pop();
    if (idle) return idle;
    const link = new pg.Client({
      connectionString: this.#url,
      application_name: 'simulation',
      options: '-c synchronous_commit=off -c jit=off',
    }) as Link;
    link.on('error', () => undefined);
    await link.connect();
    this.#all.push(link);
    return link;
  }

  giveBack(link: Link): void {
    this.#idle.push(link);
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((link) => link.end()));
  }
}

const insideTransaction = new AsyncLocalStorage<{ isOpen: boolean }>();
export const isInTransaction = (): boolean => insideTransaction.getStore()?.isOpen === true;

const databaseError = (code: string, message: string) =>
  Object.assign(new Error(message), { code });

/** Returns the statement that passes the current actor's name to the database's witness tables. */
const beginStatement = (): string =>
  `begin; set local simulation.process = '${currentActor()?.process.name ?? ''}'`;

type Parts = {
  readonly links: Links;
  readonly scheduler: Scheduler;
  readonly chances: Chances;
  readonly labels: Labels;
};

type SentStatement = { readonly link: Link; readonly label: string };

export class GatedDatabase implements Database {
  readonly orphans: OrphanTransaction[] = [];
  readonly #parts: Parts;
  readonly #open = new Set<Link>();

  constructor(parts: Parts) {
    this.#parts = parts;
    // Bound, because operations take `read` or `write` out of the port.
    this.read = this.read.bind(this);
    this.write = this.write.bind(this);
  }

  async transaction<T>(client: TransactionScope, work: (tx: Tx) => Promise<T>): Promise<T> {
    const { links, scheduler } = this.#parts;
    const link = await scheduler.fly(null, () => links.take());
    const mine = { isOpen: true };
    this.#open.add(link);
    let isBegun = false;
    const tx: Tx = {
      query: async (query, values) => {
        const label = this.#parts.labels.ofStatement(query.name, values);
        await scheduler.gate(label, { isBeginning: !isBegun });
        this.#mayFail(label);
        if (!isBegun) void this.#begin(link, client);
        isBegun = true;
        return this.#run(link, query, values);
      },
    };
    try {
      const result = await insideTransaction.run(mine, () => work(tx));
      await this.#commit({ link, label: 'commit' });
      return result;
    } catch (error) {
      await this.#rollback(link);
      throw error;
    } finally {
      mine.isOpen = false;
    }
  }

  async read<Row extends pg.QueryResultRow>(
    query: Query<Row>,
    values: readonly unknown[],
  ): Promise<Row[]> {
    const { scheduler, labels, links } = this.#parts;
    await scheduler.gate(labels.ofStatement(query.name, values));
    const link = await scheduler.fly(null, () => links.take());
    try {
      return await this.#run(link, query, values);
    } finally {
      links.giveBack(link);
    }
  }

  async write<Row extends pg.QueryResultRow>(
    query: Query<Row>,
    values: readonly unknown[],
  ): Promise<Row[]> {
    const { scheduler, labels, links } = this.#parts;
    const label = labels.ofStatement(query.name, values);
    await scheduler.gate(label, { isBeginning: true });
    this.#mayFail(label);
    const link = await scheduler.fly(null, () => links.take());
    this.#open.add(link);
    try {
      // A transaction of its own, so that its commit can be lost or late too.
      void link.query(beginStatement()).catch(() => undefined);
      const rows = await this.#run(link, query, values);
      await this.#end({ link, label });
      return rows;
    } catch (error) {
      await this.#rollback(link);
      throw error;
    }
  }

  async close(): Promise<void> {
    // Does nothing: the connections outlive the schedule.
  }

  /** Ends a transaction whose client has died, as the server does when it notices that. */
  async endOrphan(orphan: OrphanTransaction): Promise<void> {
    const { links, scheduler } = this.#parts;
    this.orphans.splice(this.orphans.indexOf(orphan), 1);
    await scheduler.fly(orphan.link.processID, () => orphan.link.query(orphan.end));
    links.giveBack(orphan.link);
  }

  async #begin(link: Link, client: TransactionScope): Promise<void> {
    const wall = typeof client === 'string' ? `; set local svc.client = '${client}'` : '';
    await link.query(`${beginStatement()}${wall}`).catch(() => undefined);
  }

  /** F19 and F21, before the statement: nothing was executed, and the transaction has ended. */
  #mayFail(label: string): void {
    const { chances, scheduler } = this.#parts;
    const fault = chances.ofStatement();
    if (!fault) return;
    chances.count(fault);
    scheduler.note(currentActor()?.name ?? '', label, fault);
    if (fault === 'backend terminated') throw databaseError('57P01', 'terminating connection');
    throw fault === 'deadlock'
      ? databaseError('40P01', 'deadlock detected')
      : databaseError('40001', 'could not serialize access');
  }

  async #run<Row extends pg.QueryResultRow>(
    link: Link,
    query: Query<Row>,
    values: readonly unknown[],
  ): Promise<Row[]> {
    const { name, text } = query;
    const label = this.#parts.labels.ofStatement(name, values);
    const sendStatement = () => link.query<Row>({ name, text, values: values as unknown[] });
    const answer = await this.#parts.scheduler.fly(link.processID, sendStatement, label);
    return this.#parts.labels.inOrder(name, answer.rows);
  }

  async #commit(sent: SentStatement): Promise<void> {
    await this.#parts.scheduler.gate('commit');
    await this.#end(sent);
  }

  /** F2 and F16: the commit, or the response to it, may be lost or late. */
  async #end({ link, label }: SentStatement): Promise<void> {
    const { chances, scheduler } = this.#parts;
    const fault = currentActor() ? chances.ofCommit() : undefined;
    if (!fault) {
      await scheduler.fly(link.processID, () => link.query('commit'));
      return this.#release(link);
    }
    chances.count(fault);
    scheduler.note(currentActor()?.name ?? '', label, fault);
    if (fault === 'commit late' || fault === 'rollback late') {
      const end = fault === 'commit late' ? 'commit' : 'rollback';
      this.#open.delete(link);
      this.orphans.push({ link, end, label });
      throw lostConnection();
    }
    const end = fault === 'commit answer lost' ? 'commit' : 'rollback';
    await scheduler.fly(link.processID, () => link.query(end));
    this.#release(link);
    throw lostConnection();
  }

  async #rollback(link: Link): Promise<void> {
    if (!this.#open.has(link)) return;
    this.#open.delete(link);
    // Waits within the schedule: other actors may have waited for these locks.
    await this.#parts.scheduler.fly(link.processID, () => link.query('rollback'));
    this.#parts.links.giveBack(link);
  }

  #release(link: Link): void {
    if (!this.#open.delete(link)) return;
    this.#parts.links.giveBack(link);
  }
}
