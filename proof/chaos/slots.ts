// Processes of the service on one database and vault. Each has a slot with its own port and proxy,
// so that one can be killed while the others serve.

import { join, relative } from 'node:path';
import { noteLogFile } from '@svc/tools/server-log';
import { type Child, type ChildPlan, startChild } from '@svc/tools/start/children';
import { root } from '@svc/tools/start/options';
import { plantingEnv } from '../planting/changes.ts';
import type { StoppingProxy } from './stopping-proxy.ts';

export type Slot = {
  readonly name: string;
  /** The address through the slot's proxy. */
  readonly url: string;
  /** The address of the process itself, past the proxy. */
  readonly ownUrl: string;
  readonly front: StoppingProxy;
  isUp(): boolean;
  /** Returns when the process became ready, by `performance.now()`. */
  upSince(): number;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
  /** Starts the entry of the sources, or another one, relative to the project. */
  start(entry?: string): Promise<void>;
  /** Sends SIGTERM; resolves when the process has ended. */
  stop(): Promise<void>;
  /** Sends SIGSTOP; `thaw` sends SIGCONT. */
  freeze(): void;
  thaw(): void;
};

export const serviceEntry = relative(root, join(import.meta.dirname, '../../service/src/main.ts'));

type SlotPlan = {
  readonly plan: Omit<ChildPlan, 'onExit'>;
  readonly front: StoppingProxy;
  /** Called when a process ends by itself. */
  readonly onDeath: (why: string) => void;
};

export function openSlot({ plan, front, onDeath }: SlotPlan): Slot {
  const { name } = plan;
  let child: Child | undefined;
  let isFrozen = false;
  let since = 0;
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    const running = child;
    child = undefined;
    isFrozen = false;
    await running?.stop(signal);
  };
  const signal = (which: 'SIGSTOP' | 'SIGCONT') => {
    if (child) process.kill(child.pid, which);
    isFrozen = which === 'SIGSTOP' && child !== undefined;
  };
  return {
    name,
    url: `http://127.0.0.1:${front.port}`,
    ownUrl: `http://127.0.0.1:${plan.env.SVC_PORT ?? plan.env.VAULT_PORT}`,
    front,
    isUp: () => child !== undefined && !isFrozen,
    upSince: () => since,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    async start(entry = plan.entry) {
      if (child) throw new Error(`${name} runs already`);
      noteLogFile(join(plan.folder, 'logs', `${name}.log`));
      child = await startChild({
        ...{ ...plan, entry },
        env: { ...plan.env, ...plantingEnv() },
        onExit: (_name, why) => {
          child = undefined;
          onDeath(why);
        },
      });
      since = performance.now();
    },
  };
}
