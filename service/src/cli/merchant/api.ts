// The public API for commands: it uses the merchant's credentials, waits at rate limits, and
// reports errors in one line.

import { setTimeout as pause } from 'node:timers/promises';
import { CommandError } from '../line/command.ts';

/** The service refused the call. */
export class ApiRefusal extends CommandError {
  readonly status: number;
  readonly code: string;

  constructor(call: string, status: number, body: Answer) {
    const facts = [body.code, body.param, body.message].filter(Boolean).join(': ');
    super(`${call} was answered ${status} ${facts}`);
    this.status = status;
    this.code = String(body.code ?? '');
  }
}

/** No answer: the service is stopped or restarting. */
export class ApiUnreachable extends CommandError {}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Path = `${Method} /${string}`;
export type Answer = Readonly<Record<string, unknown>>;

export type ApiRequest = {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** When undefined, Ctrl-C does not end the call. */
  readonly signal?: AbortSignal | undefined;
};

export type Credentials = {
  readonly apiUrl: string;
  readonly clientId: string;
  readonly apiToken: string;
};

export type Api = <T = Answer>(path: Path, sent?: ApiRequest) => Promise<T>;

const answerWithinMs = 40_000;
const mostWaits = 5;
const longestWaitSeconds = 10;

/** Makes calls as the merchant's server; an error response throws. Ends with `signal`. */
export function openApi(
  { apiUrl, clientId, apiToken }: Credentials,
  signal: AbortSignal | undefined,
): Api {
  const authorization = `Basic ${Buffer.from(`${clientId}:${apiToken}`).toString('base64')}`;
  return async <T>(path: Path, { headers, ...sent }: ApiRequest = {}): Promise<T> =>
    callPlainly<T>(apiUrl, path, {
      ...(signal ? { signal } : {}),
      ...sent,
      headers: { authorization, ...headers },
    });
}

/** Makes a call without the merchant's credentials: as a buyer's page does, or to the sandbox's controls. */
export async function callPlainly<T = Answer>(
  base: string,
  path: Path,
  { body, headers = {}, signal }: ApiRequest = {},
): Promise<T> {
  for (let waits = 0; ; waits += 1) {
    const response = await exchange(base, path, { body, headers, signal: signal ?? null });
    const seconds = Number(response.headers.get('retry-after')) || 1;
    if (response.status !== 429 || waits >= mostWaits || seconds > longestWaitSeconds) {
      return (await readBody(path, response)) as T;
    }
    await response.body?.cancel();
    await pause(seconds * 1000, undefined, signal ? { signal } : {});
  }
}

type Exchange = {
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal | null;
};

async function exchange(base: string, path: Path, sent: Exchange): Promise<Response> {
  const [method, target] = path.split(' ', 2) as [Method, string];
  const tooLate = AbortSignal.timeout(answerWithinMs);
  try {
    return await fetch(base + target, {
      method,
      redirect: 'error',
      headers: {
        ...(sent.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...sent.headers,
      },
      ...(sent.body === undefined ? {} : { body: JSON.stringify(sent.body) }),
      signal: sent.signal ? AbortSignal.any([sent.signal, tooLate]) : tooLate,
    });
  } catch (error) {
    if (sent.signal?.aborted) throw error;
    throw new ApiUnreachable(`${base} does not answer: ${reasonOf(error)}`);
  }
}

/** Returns the reason of a failed connection, which is nested, twice when a name has two addresses. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  const { errors, code } = (cause ?? {}) as AggregateError & { code?: string };
  return code ?? (errors?.[0] as { code?: string } | undefined)?.code ?? message;
}

async function readBody(path: Path, response: Response): Promise<unknown> {
  const text = await response.text().catch(() => {
    throw new ApiUnreachable(`the answer to ${path} broke off`);
  });
  const call = path.split('?', 1)[0] ?? path;
  if (!response.ok) throw new ApiRefusal(call, response.status, parse(text) ?? { message: text });
  return text === '' ? {} : (parse(text) ?? notJson(call));
}

function parse(text: string): Answer | undefined {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return undefined;
  }
}

function notJson(call: string): never {
  throw new CommandError(
    `${call} was answered with something that is no JSON: is this the service?`,
  );
}
