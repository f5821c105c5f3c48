// Sends one request again and again, one at a time, and measures its duration and its CPU time by
// process.

import type { Cluster } from '../cluster.ts';
import { quantile } from '../load/statistics.ts';
import { treeCpuMs } from '../processor.ts';
import type { Product } from '../product.ts';
import type { Question } from './questions.ts';

export type Figure = {
  readonly name: string;
  readonly mostMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** CPU time per request, of the service's process and of PostgreSQL. */
  readonly serviceMs: number;
  readonly postgresMs: number;
  /** The number of matching rows in the last response; null when the response has none. */
  readonly total: number | null;
  /** How many responses had another status than 200, and the last such status. */
  readonly refused: number;
  readonly status: number;
};

type QuestionResult = {
  readonly status: number;
  readonly ms: number;
  readonly total: number | null;
};

/**
 * Sends one request unmeasured to each product, then `times` measured ones: to one product after the other, so that
 * each finds the machine as busy as the next one does. A row that the service lacks is called once. Returns a figure
 * for each product.
 */
export async function measureQuestion(
  { name, ask, mostMs }: Question,
  { products, cluster, times }: QuestionFixture,
): Promise<Figure[]> {
  const sides = products.map((product) => ({
    product,
    taken: [] as QuestionResult[],
    serviceMs: 0,
    postgresMs: 0,
    first: 0,
  }));
  for (const side of sides) side.first = (await askOnce(side.product, ask(0))).status;
  const isThere = sides.every(({ first }) => first !== 404);
  for (let n = 1; n <= times && isThere; n++) {
    for (const side of sides) {
      const cpu = () => [treeCpuMs([side.product.service.pid]), treeCpuMs([cluster.pid])] as const;
      const before = cpu();
      side.taken.push(await askOnce(side.product, ask(n)));
      const after = cpu();
      side.serviceMs += after[0] - before[0];
      side.postgresMs += after[1] - before[1];
    }
  }
  return sides.map(({ taken, serviceMs, postgresMs, first }) => {
    const ms = taken.map((each) => each.ms);
    const refused = taken.filter(({ status }) => status !== 200);
    return {
      ...{ name, mostMs, p50Ms: quantile(ms, 0.5), p95Ms: quantile(ms, 0.95) },
      ...{ serviceMs: serviceMs / taken.length, postgresMs: postgresMs / taken.length },
      ...{ total: taken.at(-1)?.total ?? null, refused: refused.length },
      status: refused.at(-1)?.status ?? first,
    };
  });
}

type QuestionFixture = {
  readonly products: readonly Product[];
  readonly cluster: Cluster;
  readonly times: number;
};

async function askOnce({ origin, authorization }: Product, path: string): Promise<QuestionResult> {
  const began = performance.now();
  const answer = await fetch(`${origin}${path}`, { headers: { authorization } });
  const text = await answer.text();
  const ms = performance.now() - began;
  const isJson = answer.headers.get('content-type')?.includes('json');
  const total = isJson ? (JSON.parse(text) as { total?: number }).total : undefined;
  return { status: answer.status, ms, total: total ?? null };
}

export function figureLine(figure: Figure): string {
  const { name, p50Ms, p95Ms, mostMs, serviceMs, postgresMs, total, refused, status } = figure;
  const ms = (value: number) => value.toFixed(1).padStart(8);
  if (status === 404) return `${name.padEnd(36)} is not there yet`;
  const verdict = refused > 0 ? `${refused} times ${status}` : p95Ms > mostMs ? 'over' : '';
  return [
    name.padEnd(36),
    `p50 ${ms(p50Ms)}  p95 ${ms(p95Ms)} of ${String(mostMs).padStart(5)} ms`,
    `CPU service ${ms(serviceMs)}  PostgreSQL ${ms(postgresMs)} ms`,
    `total ${total ?? '-'}`.padEnd(14),
    verdict,
  ].join('  ');
}
