// `npx @svc/sandbox`: reads the flags, starts the twin, prints its keys and what happens in it, and ends with
// Ctrl-C.
import { explainFailure, makeFolderOf } from '../process.ts';
import { BadFlag, type Flags, readFlags, usage } from './flags.ts';
import { createRecorder } from './record.ts';
import { startTwin, type Twin } from './twin.ts';

const announce = (twin: Twin, { twin: { file, forwardTo, limits } }: Flags, version: string) => `
  @svc/sandbox ${version}   ${twin.url}   ${file ?? 'in memory'}${limits === false ? '   no limits' : ''}

  Secret key        ${twin.secretKey}
  Publishable key   ${twin.publishableKey}
  Webhook secret    ${twin.webhookSecret}${forwardTo ? `   events go to ${forwardTo}` : ''}

  import Stripe from 'stripe';
  const where = { host: '127.0.0.1', port: ${twin.port}, protocol: 'http' };
  const stripe = new Stripe('${twin.secretKey}', where);

  In a page: <script src="${twin.url}/v3/"></script>   test cards, clock, faults, ledger: ${twin.url}
  Ctrl-C ends it.
`;

const printKeys = ({ control: _, close: __, ...keys }: Twin): string => JSON.stringify(keys);

const startWith = async (flags: Flags, say: (line: string) => void) => {
  const recorder = flags.record && createRecorder(flags.record, say);
  const twin = await startTwin({
    ...flags.twin,
    onDelivery: ({ type, event, url, status }) =>
      say(`${status === 0 ? 'no answer' : status}  ${type} ${event} to ${url}`),
    ...(recorder ? { onCall: recorder.onCall } : {}),
  });
  return { twin, recorder };
};

const endOnSignals = (end: () => Promise<void>): void => {
  let count = 0;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      count += 1;
      // The second one does not wait for what is still compared.
      if (count > 1) process.exit(130);
      void end().then(() => process.exit(0));
    });
  }
};

/**
 * Runs the command of a version of the package.
 *
 * @public its program, which build.ts writes, imports it.
 */
export const runCommand = async (args: readonly string[], version: string): Promise<void> => {
  let flags: Flags | undefined;
  try {
    flags = readFlags(args, process.env);
    if (flags.wish !== 'start') {
      process.stdout.write(`${flags.wish === 'help' ? usage : `@svc/sandbox ${version}`}\n`);
      return;
    }
    const { isJson, twin: wanted } = flags;
    makeFolderOf(wanted.file);
    // With --json standard output has one line.
    const say = (line: string) =>
      void (isJson ? process.stderr : process.stdout).write(`${line}\n`);
    const { twin, recorder } = await startWith(flags, say);
    endOnSignals(async () => {
      if (recorder) say(await recorder.finish());
      await twin.close();
    });
    process.stdout.write(`${isJson ? printKeys(twin) : announce(twin, flags, version)}\n`);
  } catch (error) {
    const names = { port: '--port', file: '--file' };
    process.stderr.write(`svc-sandbox: ${explainFailure(error, flags?.twin, names)}\n`);
    process.exitCode = error instanceof BadFlag ? 2 : 1;
  }
};
