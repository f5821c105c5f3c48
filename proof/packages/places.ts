// Where the packages run besides Node itself: a worker (an isolate with the globals of the web and
// none of Node's), and a page that Vite bundled; and the provider that they call.
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { startSandbox } from '@svc/sandbox';
import { rolldown } from 'rolldown';
import Stripe from 'stripe';
import { build } from 'vite';

export type Provider = {
  url: string;
  secretKey: string;
  /** An open Checkout Session over 30 EUR. */
  session: string;
  close: () => Promise<void>;
};

/** Opens the sandbox, with one open session in it. */
export async function openProvider(): Promise<Provider> {
  const sandbox = await startSandbox({ limits: null });
  const answer = await fetch(`${sandbox.url}/_control/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"packages"}',
  });
  const { secretKey } = (await answer.json()) as { secretKey: string };
  const { port } = sandbox;
  const stripe = new Stripe(secretKey, { host: '127.0.0.1', port, protocol: 'http' });
  const price_data = { currency: 'eur', unit_amount: 3000, product_data: { name: 'Tea' } };
  const { id } = await stripe.checkout.sessions.create({
    mode: 'payment',
    success_url: 'https://shop.example/',
    line_items: [{ price_data, quantity: 1 }],
  });
  return { url: sandbox.url, secretKey, session: id, close: sandbox.close };
}

/** The globals of a worker, without Node's: no process, no require, no Buffer, no module loader. */
const webGlobals = () => ({
  AbortController,
  AbortSignal,
  Blob,
  Event,
  EventTarget,
  FormData,
  Headers,
  Request,
  Response,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
  atob,
  btoa,
  clearTimeout,
  console,
  crypto,
  fetch,
  performance,
  setTimeout,
  structuredClone,
  queueMicrotask,
});

/**
 * Runs the module's bundle, as a worker's deployment makes it (conditions `workerd` and `worker`),
 * in a context of its own. Returns what the module stores in `globalThis.answer`.
 */
export async function runInWorker(file: string, given: Provider): Promise<string> {
  const bundle = await rolldown({
    input: file,
    platform: 'neutral',
    resolve: { conditionNames: ['workerd', 'worker', 'import', 'default'], mainFields: ['module'] },
    // The bundler would leave an unresolved import to the runtime; here it is an error.
    onLog: (_level, log) => {
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message);
    },
  });
  const { output } = await bundle.generate({ format: 'iife', codeSplitting: false });
  await bundle.close();
  const context = createContext({ ...webGlobals(), given: plainPlaces(given) });
  runInContext(output[0].code, context, { filename: 'worker.js' });
  return (await runInContext('globalThis.answer', context)) as string;
}

const plainPlaces = ({ url, secretKey, session }: Provider) => ({
  providerBaseUrl: url,
  secretKey,
  session,
});

/** Makes Vite's production build of a project with an index.html and returns its folder. */
export async function bundlePage(project: string): Promise<string> {
  const outDir = join(project, 'dist');
  await build({ root: project, configFile: false, logLevel: 'error', build: { outDir } });
  return outDir;
}
