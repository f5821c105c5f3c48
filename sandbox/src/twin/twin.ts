// The sandbox as one account that somebody starts for their own code: what `npx @svc/sandbox` runs, and what
// tests import from the package.
import { startSandbox } from '../index.ts';

export type TwinOptions = {
  /** 0, the default, uses a free port. */
  readonly port?: number;
  /** A SQLite file that keeps everything. Default: memory. */
  readonly file?: string;
  /** The same seed gives the same keys and ids. Default: the file's own, or a random one. */
  readonly seed?: string;
  /** Gets the account's events, signed with `webhookSecret`: http or https on this machine. */
  readonly forwardTo?: string;
  /** The types of events that are forwarded. Default: all. */
  readonly forwardEvents?: readonly string[];
  /** What the clock of a new file, or of memory, reads first. Default: this machine's time. */
  readonly clock?: Date;
  /** `false` accepts more calls a second than the provider does. Default: true. */
  readonly limits?: boolean;
  /** `true` takes versions of the API before 2025-03-31.basil too, answered in the newest shapes. Default: 400. */
  readonly olderVersions?: boolean;
  /** Receives each delivery of an event with the status of its answer, 0 without one. */
  readonly onDelivery?: (delivery: TwinDelivery) => void;
  /** Receives each call of the API that ran, and its answer. */
  readonly onCall?: (call: TwinCall) => void;
};

export type TwinDelivery = {
  readonly event: string;
  readonly type: string;
  readonly url: string;
  readonly status: number;
};

export type TwinCall = {
  readonly method: string;
  /** The path with /v1, without the query. */
  readonly path: string;
  /** The body, or the query of a read. */
  readonly form: string;
  readonly version: string;
  readonly idempotencyKey: string | null;
  /** The call came with the publishable key. */
  readonly isByPage: boolean;
  readonly status: number;
  readonly body: string;
};

export type Twin = {
  readonly url: string;
  readonly port: number;
  readonly accountId: string;
  readonly secretKey: string;
  readonly publishableKey: string;
  /** Signs what `forwardTo` gets. An endpoint that the API makes has a secret of its own. */
  readonly webhookSecret: string;
  /** Calls a control, such as `control('/clock/advance', { seconds: 691200 })`; the page at `url` lists them. */
  readonly control: (path: string, body?: object) => Promise<unknown>;
  readonly close: () => Promise<void>;
};

type Keys = Pick<Twin, 'accountId' | 'secretKey' | 'publishableKey'>;

/** Starts the twin on 127.0.0.1. Rejects for a busy port, and for a file or an address that it cannot use. */
export const startTwin = async (options: TwinOptions = {}): Promise<Twin> => {
  const {
    port,
    file,
    seed,
    forwardTo,
    forwardEvents,
    clock,
    limits,
    onDelivery,
    onCall,
    olderVersions,
  } = options;
  const sandbox = await startSandbox({
    ...(port === undefined ? {} : { port }),
    ...(file === undefined ? {} : { file }),
    ...(seed === undefined ? {} : { seed }),
    ...(clock === undefined ? {} : { startAt: clock.getTime() }),
    ...(limits === false ? { limits: null } : {}),
    ...(olderVersions ? { takesOlderVersions: true } : {}),
    ...(onDelivery ? { onDelivery } : {}),
    ...(onCall ? { onCardExchange: onCall } : {}),
  });
  const control = async (path: string, body: object = {}): Promise<unknown> => {
    const answer = await fetch(`${sandbox.url}/_control${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const said = (await answer.json()) as { error?: unknown };
    if (answer.ok) return said;
    throw new Error(typeof said.error === 'string' ? said.error : JSON.stringify(said.error));
  };
  try {
    const account = (await control('/accounts', { name: 'twin' })) as Keys;
    const { accountId, secretKey, publishableKey } = account;
    const forwarding = (await control('/webhooks/forward', {
      account: accountId,
      ...(forwardTo === undefined ? {} : { url: forwardTo }),
      ...(forwardEvents === undefined ? {} : { events: forwardEvents }),
    })) as { secret: string };
    return {
      ...{ url: sandbox.url, port: sandbox.port, accountId, secretKey, publishableKey },
      ...{ webhookSecret: forwarding.secret, control, close: sandbox.close },
    };
  } catch (error) {
    await sandbox.close();
    throw error;
  }
};
