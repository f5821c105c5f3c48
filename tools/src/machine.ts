// How slow this machine is, compared with one that runs the tests alone and at their usual speed. Time
// bounds grow by this factor, so that a slow or busy machine causes no failure.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

/** Passed from the start of a run to its workers, and to runs that a test starts. */
export const factorVariable = 'SVC_TEST_MACHINE_FACTOR';

/**
 * How long `work` takes in milliseconds on an idle core of the machine for which the bounds were written.
 */
const referenceMs = 68;
/** A larger factor means that something is wrong with the machine, and a hanging test must still end. */
const largest = 8;

const worker = `
  const { workerData } = require('node:worker_threads');
  const row = { id: 'pay', lines: Array.from({ length: 40 }, (_, line) => ({ line, text: 'a line' })) };
  const work = () => {
    let sum = 0;
    for (let round = 0; round < 1500; round++) {
      sum += JSON.parse(JSON.stringify(row)).lines.length;
      let x = round;
      for (let step = 0; step < 4000; step++) x = (x * 1103515245 + 12345) & 0x7fffffff;
      sum += x & 1;
    }
    return sum;
  };
  const times = new Int32Array(workerData);
  work();
  const from = performance.now();
  work();
  Atomics.store(times, 0, Math.max(1, Math.round((performance.now() - from) * 1000)));
  Atomics.notify(times, 0);`;

/**
 * Returns the factor, from 1 to 8. It is measured once per run, in half a second: the same work on every
 * core at the same time, so that other processes on the machine count too.
 */
export function machineFactor(): number {
  const known = Number(process.env[factorVariable]);
  if (known >= 1) return Math.min(known, largest);
  const factor = factorOf(measure(Math.min(availableParallelism(), 8)));
  process.env[factorVariable] = factor.toFixed(2);
  return factor;
}

/** Returns how long `ms` of the usual machine take on this one. */
export function scaled(ms: number): number {
  return Math.ceil(ms * machineFactor());
}

/** Returns the factor for the cores' times in milliseconds: the slowest core decides. */
export function factorOf(times: readonly number[]): number {
  return Math.min(largest, Math.max(1, ...times.map((ms) => ms / referenceMs)));
}

function measure(cores: number): number[] {
  const memories = Array.from({ length: cores }, () => {
    const memory = new SharedArrayBuffer(4);
    new Worker(worker, { eval: true, execArgv: [], env: {}, workerData: memory }).unref();
    return new Int32Array(memory);
  });
  // A worker that does not start within this time is slower than any factor.
  return memories.map((times) => {
    Atomics.wait(times, 0, 0, 10_000);
    return (times[0] || largest * referenceMs * 1000) / 1000;
  });
}
