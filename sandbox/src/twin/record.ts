// `--record`: sends each call that the twin answered to the provider's test mode too, in the same order, and says
// where the answers differ. The twin's ids are replaced by those of the provider's answers before.
import { setTimeout as pause } from 'node:timers/promises';
import { type Answered, findDifferences, looksLikeId, pairIds } from './differences.ts';
import type { RecordOptions } from './flags.ts';
import type { TwinCall } from './twin.ts';

export type Recorder = {
  /** Returns at once: the twin's caller does not wait for the provider. */
  onCall: (call: TwinCall) => void;
  /** Waits until what was received is compared, and returns the sum in a sentence. */
  finish: () => Promise<string>;
};

const answerTimeoutMs = 30_000;
const mostTries = 5;

/** What is there at the provider under the same name, or made by the caller. */
const shared = /^(pm_card|tok|acct)_/;

const withoutIds = (path: string): string =>
  path
    .split('/')
    .map((part) => (looksLikeId(part) ? ':id' : part))
    .join('/');

const createNames = () => {
  const known = new Map<string, string>();
  const translate = (text: string): string => known.get(text) ?? text;
  const isUnknown = (text: string) =>
    looksLikeId(text) && !known.has(text) && !shared.test(text) && text.length >= 16;
  return {
    learn: (own: string, theirs: string) => pairIds(own, theirs, (a, b) => known.set(a, b)),
    path: (path: string) => path.split('/').map(translate).join('/'),
    form: (form: string) => {
      const fields = [...new URLSearchParams(form)].filter(([name]) => name !== 'key');
      const translated = fields.map(([name, value]): [string, string] => [name, translate(value)]);
      return String(new URLSearchParams(translated));
    },
    /** An object that a control or an earlier run made: the provider has never heard of it. */
    lacks: ({ path, form }: TwinCall): boolean =>
      [...path.split('/'), ...new URLSearchParams(form).values()].some(isUnknown),
  };
};

type Names = ReturnType<typeof createNames>;

const send = async (options: RecordOptions, names: Names, call: TwinCall): Promise<Answered> => {
  const form = names.form(call.form);
  const isWrite = call.method === 'POST';
  const url = `${options.url}${names.path(call.path)}${!isWrite && form ? `?${form}` : ''}`;
  const key = call.isByPage ? options.publishableKey : options.secretKey;
  for (let tries = 1; ; tries += 1) {
    const response = await fetch(url, {
      method: call.method,
      headers: {
        authorization: `Bearer ${key}`,
        'stripe-version': call.version,
        ...(call.idempotencyKey ? { 'idempotency-key': `twin-${call.idempotencyKey}` } : {}),
        ...(isWrite ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
      },
      ...(isWrite ? { body: form } : {}),
      signal: AbortSignal.timeout(answerTimeoutMs),
    });
    const body = await response.text();
    // The twin's answer came at the twin's rate, so the provider's limit is waited for.
    if (response.status !== 429 || call.status === 429 || tries === mostTries) {
      return { status: response.status, body };
    }
    await pause(1000 * tries);
  }
};

/** `say` gets one line for each difference, once for each operation. */
export const createRecorder = (options: RecordOptions, say: (line: string) => void): Recorder => {
  const names = createNames();
  const told = new Set<string>();
  const counts = { same: 0, different: 0, byPage: 0, unknown: 0, unanswered: 0 };
  let last: Promise<void> = Promise.resolve();

  const tell = (operation: string, difference: string): void => {
    const line = `differs  ${operation}: ${difference}`;
    if (!told.has(line)) say(line);
    told.add(line);
  };

  const compareOne = async (call: TwinCall): Promise<void> => {
    if (call.isByPage && !options.publishableKey) counts.byPage += 1;
    else if (call.status < 400 && names.lacks(call)) counts.unknown += 1;
    else {
      const operation = `${call.method} ${withoutIds(call.path)}`;
      try {
        const theirs = await send(options, names, call);
        const differences = findDifferences(call, theirs);
        for (const difference of differences) tell(operation, difference);
        counts[differences.length === 0 ? 'same' : 'different'] += 1;
        names.learn(call.body, theirs.body);
      } catch (error) {
        counts.unanswered += 1;
        const { message, cause } = error as Error;
        tell(operation, `no answer there: ${cause instanceof Error ? cause.message : message}`);
      }
    }
  };

  return {
    onCall: (call) => {
      last = last.then(() => compareOne(call));
    },
    finish: async () => {
      await last;
      const { same, different, byPage, unknown, unanswered } = counts;
      const left = [
        byPage && `${byPage} of a page (SVC_RECORD_PUBLISHABLE_KEY is not set)`,
        unknown && `${unknown} of objects that are only here`,
        unanswered && `${unanswered} without an answer`,
      ].filter(Boolean);
      const compared = `compared with ${options.url}: ${same} the same, ${different} differ`;
      return left.length === 0 ? compared : `${compared}; not compared: ${left.join(', ')}`;
    },
  };
};
