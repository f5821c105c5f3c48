// Runs one layer in processes of its own, so that their memory is freed at the end and two can run
// in parallel, and combines their results.

import { fork } from 'node:child_process';
import { join } from 'node:path';
import { startProgress } from '../kit/progress.ts';
import { type Layer, planTasks, type Task, type TaskResult } from './layers.ts';
import type { LayerMessage } from './main.ts';

export type LayerReport = {
  readonly layer: Layer['name'];
  readonly id: string;
  readonly counts: string;
  readonly wanted: number;
  readonly done: number;
  readonly seconds: number;
  readonly violations: readonly string[];
  /** Counters that stayed at zero. */
  readonly never: readonly string[];
  readonly sometimes: Readonly<Record<string, number>>;
  readonly commands: readonly string[];
  /** Why the layer did not run, when the machine lacks something. */
  readonly notRun: string | undefined;
};

type Options = {
  readonly layer: Layer;
  readonly count: number;
  readonly seed: number;
  readonly wantedNames: readonly string[];
  readonly signal: AbortSignal;
};

export async function runLayer(options: Options): Promise<LayerReport> {
  const { layer, count, seed, signal } = options;
  const startedAt = performance.now();
  const progress = startProgress(`${layer.id} ${layer.counts}`, count);
  const results: TaskResult[] = [];
  for (const row of planTasks(layer, count, seed)) {
    if (signal.aborted) break;
    const before = results.reduce((sum, { done }) => sum + done, 0);
    const doing = row.map(() => 0);
    const running = row.map((task, index) =>
      runInProcess(task, {
        signal,
        onProgress: (done) => {
          doing[index] = done;
          progress.at(Math.min(count, before + doing.reduce((sum, one) => sum + one, 0)));
        },
      }),
    );
    results.push(...(await Promise.all(running)));
  }
  progress.end();
  const sometimes: Record<string, number> = {};
  for (const result of results) {
    for (const [name, times] of Object.entries(result.sometimes)) {
      sometimes[name] = (sometimes[name] ?? 0) + times;
    }
  }
  // Counters that are not wanted may be too rare for the count of this level.
  const { wantedNames } = options;
  const names = wantedNames.length > 0 ? wantedNames : Object.keys(sometimes);
  const done = results.reduce((sum, one) => sum + one.done, 0);
  return {
    ...{ layer: layer.name, id: layer.id, counts: layer.counts, wanted: count, done },
    seconds: Math.round((performance.now() - startedAt) / 100) / 10,
    violations: results.flatMap((one) => one.violations),
    never: signal.aborted ? [] : names.filter((name) => !sometimes[name]),
    sometimes,
    commands: results.flatMap((one) => one.commands),
    notRun: results.find((one) => one.notRun)?.notRun,
  };
}

type ProgressOptions = {
  readonly signal: AbortSignal;
  readonly onProgress: (done: number) => void;
};

/** A process that ends without a result is a violation, because it proved nothing. */
function runInProcess(task: Task, { signal, onProgress }: ProgressOptions): Promise<TaskResult> {
  return new Promise((resolve) => {
    const child = fork(join(import.meta.dirname, 'main.ts'), { detached: true });
    let result: TaskResult | undefined;
    let failure = '';
    const stop = () => void (child.connected && child.send('stop'));
    signal.addEventListener('abort', stop);
    child.on('message', (told: LayerMessage) => {
      if (told.kind === 'progress') onProgress(told.done);
      else if (told.kind === 'result') result = told.result;
      else failure = told.text;
    });
    child.once('error', (error) => {
      failure ||= String(error);
    });
    child.once('exit', (code, killedBy) => {
      signal.removeEventListener('abort', stop);
      const why = failure || `ended with ${killedBy ?? code} and no result`;
      const nothing = { done: 0, sometimes: {}, commands: [] };
      const from = `${task.layer}, ${task.mode}, seed ${task.seed}`;
      resolve(result ?? { ...nothing, violations: [`${from}: ${why}`] });
    });
    child.send(task);
  });
}
