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
 * Sends one request unmeasured, then `times` measured ones. A row that the service lacks is called
 * once.
 */
export async function measureQuestion(
  { name, ask, mostMs }: Question,
  fixture: { readonly product: Product; readonly cluster: Cluster; readonly times: number },
): Promise<Figure> {
  const { product, cluster } = fixture;
  const askCounted = (n: number) => askOnce(product, ask(n));
  const first = await askCounted(0);
  const times = first.status === 404 ? 0 : fixture.times;
  const cpu = () => ({
    service: treeCpuMs([product.service.pid]),
    postgres: treeCpuMs([cluster.pid]),
  });
  const before = cpu();
  const taken: QuestionResult[] = [];
  for (let n = 1; n <= times; n++) taken.push(await askCounted(n));
  const after = cpu();
  const ms = taken.map((each) => each.ms);
  const refused = taken.filter(({ status }) => status !== 200);
  return {
    name,
    mostMs,
    p50Ms: quantile(ms, 0.5),
    p95Ms: quantile(ms, 0.95),
    serviceMs: (after.service - before.service) / times,
    postgresMs: (after.postgres - before.postgres) / times,
    total: taken.at(-1)?.total ?? null,
    refused: refused.length,
    status: refused.at(-1)?.status ?? first.status,
  };
}

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
