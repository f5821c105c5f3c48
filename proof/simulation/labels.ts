// Short names for ids in a trace: the same in every run of a seed, whatever the ids are.

import type pg from 'pg';

export class Labels {
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  /** Gives the id the next name of its kind, as in `payment 2`. */
  add(kind: string, id: string): string {
    const known = this.#names.get(id);
    if (known) return known;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    const name = `${kind} ${count}`;
    this.#names.set(id, name);
    return name;
  }

  /** Gives another id the name of the same thing. */
  call(id: string, name: string): void {
    this.#names.set(id, name);
  }

  of(id: string): string {
    return this.#names.get(id) ?? '';
  }

  /** Returns the name of a statement and of what it is about. */
  ofStatement(name: string, values: readonly unknown[]): string {
    const about = [...new Set(values.flat().flatMap((value) => this.#named(value)))];
    return [name, ...about.slice(0, 3)].join(' ');
  }

  #named(value: unknown): string[] {
    const name = typeof value === 'string' ? this.#names.get(value) : undefined;
    return name ? [name] : [];
  }

  /**
   * Sorts rows that were claimed together by their names: the database may return rows that are due
   * at the same moment in any order, and a schedule would then not repeat.
   */
  inOrder<Row extends pg.QueryResultRow>(statement: string, rows: Row[]): Row[] {
    if (rows.length < 2 || !/claim_due|expired|to_warn/.test(statement)) return rows;
    const keyOf = (row: Row): string => {
      const id = String(row.notice_id ?? row.payment_id ?? row.id ?? '');
      return this.of(id) || id;
    };
    return rows.toSorted((a, b) => keyOf(a).localeCompare(keyOf(b), 'en', { numeric: true }));
  }
}
