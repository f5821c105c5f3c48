// The time from the spawn of the process to its first authenticated response, with every migration
// applied, compared with a server that does nothing.

import { freePort } from '@svc/tools/free-port';
import { type ChildPlan, startChild } from '@svc/tools/start/children';
import { Agent, request } from 'undici';
import { entries } from './entries.ts';
import { idOf } from './load/identifiers.ts';
import type { Fixture, Product } from './product.ts';

export type Start = { readonly oursMs: number; readonly bareMs: number };

type FirstAnswer = {
  readonly plan: Omit<ChildPlan, 'folder' | 'onExit' | 'env'>;
  readonly env: (port: number) => Readonly<Record<string, string>>;
  readonly authorization: string;
};

async function firstAnswerMs(
  { closers, folder, onLoss }: Fixture,
  { plan, env, authorization }: FirstAnswer,
): Promise<number> {
  const port = await freePort();
  const began = performance.now();
  const child = await startChild({ ...plan, env: env(port), folder, onExit: onLoss });
  await closers.add(() => child.stop('SIGKILL'));
  const dispatcher = new Agent({ pipelining: 0 });
  try {
    const answer = await request(`http://127.0.0.1:${port}/v1/payments/${idOf('payment', 0)}`, {
      headers: { authorization },
      dispatcher,
    });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`a fresh start answered ${answer.statusCode}`);
    return performance.now() - began;
  } finally {
    await Promise.all([child.stop('SIGTERM'), dispatcher.close()]);
  }
}

/** Starts the service and the empty server once each. */
export async function measureStart(fixture: Fixture, product: Product): Promise<Start> {
  const { authorization } = product;
  const bareMs = await firstAnswerMs(fixture, {
    plan: { name: 'bare-server', entry: entries.bareServer },
    env: (port) => ({ SVC_PORT: String(port) }),
    authorization,
  });
  const oursMs = await firstAnswerMs(fixture, {
    plan: { name: 'service-start', entry: 'service/src/main.ts' },
    env: product.environment,
    authorization,
  });
  return { oursMs, bareMs };
}
