import { clientOfHosts } from '@svc/contract/servers/database-hosts';
import pg from 'pg';
import type { Query } from './sql.ts';

const Client = clientOfHosts(pg.Client);

/**
 * A few pipelined sockets for single-statement reads; never for transactions, locks or writes. A
 * read is repeated, at most twice, when its socket breaks. There is no client-side query timeout,
 * because it would destroy the socket under all other reads on it; the server's statement_timeout
 * bounds each read.
 */
export class Reads {
  #sockets: Promise<pg.Client>[] = [];
  #next = 0;
  #closed = false;
  readonly #config: pg.ClientConfig;
  readonly #size: number;

  constructor(config: pg.ClientConfig, size = 2) {
    this.#config = config;
    this.#size = size;
  }

  #open(slot: number): Promise<pg.Client> {
    const client = new Client({ ...this.#config, pipeline: true } as pg.ClientConfig);
    const drop = () => {
      if (this.#sockets[slot] === opening) delete this.#sockets[slot];
    };
    client.on('error', drop);
    client.on('end', drop);
    const opening = client.connect().then(
      () => client,
      (error) => {
        drop();
        throw error;
      },
    );
    this.#sockets[slot] = opening;
    return opening;
  }

  async find<Row extends pg.QueryResultRow>(
    query: Query<Row>,
    values: readonly unknown[],
  ): Promise<Row[]> {
    for (let attempt = 0; ; attempt++) {
      const slot = this.#next++ % this.#size;
      const socket = this.#sockets[slot] ?? this.#open(slot);
      try {
        const client = await socket;
        return (await client.query<Row>({ ...query, values: values as unknown[] })).rows;
      } catch (error) {
        const { code } = error as { code?: string };
        // 08: a connection pooler in between has lost the server.
        const isLost = code === undefined || /^(57P|08|E)/.test(code);
        // 26000: another read's first parse of the same statement failed; prepare it again.
        const isWorthRepeating = isLost || code === '26000';
        if (attempt >= 2 || this.#closed || !isWorthRepeating) throw error;
        if (isLost && this.#sockets[slot] === socket) delete this.#sockets[slot];
      }
    }
  }

  /** Gives up the sockets; reads on them are repeated on new ones. */
  drop(): void {
    for (const socket of this.#sockets.splice(0)) {
      socket?.then((client) => client.end()).catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(
      this.#sockets.map(async (socket) => (await socket.catch(() => undefined))?.end()),
    );
  }
}
