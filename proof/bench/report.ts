// The figures as text: one line per round during the run, and a table with its conditions at the
// end.

import { type BurstRound, describeBurst } from './burst.ts';
import type { Start } from './cold-start.ts';
import { describeLatency, type Latency } from './latency.ts';
import {
  countedRounds,
  isClean,
  maxForeignLoad,
  median,
  medianRatio,
  type RoundPair,
  spreadOf,
} from './load/statistics.ts';
import { describeMemory, type Resident } from './memory.ts';
import { describePageOpen, type PageRound } from './page-open.ts';
import type { ProviderKind } from './product.ts';
import type { Sample } from './sample.ts';
import type { Audit } from './seed-product.ts';
import { describeShops, type ShopFigures } from './shops.ts';
import { describeSmallest, type Smallest } from './smallest.ts';
import { type DeliveryFigures, describeDeliveries } from './webhook-deliveries.ts';

/**
 * `asked`: captures that the provider received. `answered` and `failed`: responses that the load
 * generator received.
 */
export type AuditedCounts = Audit & {
  readonly asked: number;
  readonly answered: number;
  readonly failed: number;
};

export type MeasureResult = {
  readonly name: string;
  readonly title: string;
  /** In how many runs limit and ours became warm. */
  readonly warmRuns: string;
  readonly rounds: readonly RoundPair<Sample>[];
};

export type BenchResult = {
  readonly conditions: {
    readonly cores: number;
    readonly loadAverage: readonly number[];
    readonly postgres: string;
    readonly node: string;
    readonly settings: Readonly<Record<string, string>>;
    readonly segmentMs: number;
    readonly processes: number;
  };
  readonly measures: readonly MeasureResult[];
  readonly starts: readonly Start[];
  readonly latency: readonly Latency[];
  readonly burst: readonly BurstRound[];
  readonly smallest: Smallest | null;
  readonly shops: readonly ShopFigures[];
  readonly deliveries: DeliveryFigures | null;
  readonly memoryMb: { readonly ready: number; readonly afterLoad: number } | null;
  /** The measures of memory, over many captures. */
  readonly memory: readonly Resident[];
  /** The measures of opening a page in a browser. */
  readonly pages: readonly PageRound[];
  /** For each provider: the number of successful responses, and the numbers in the records. */
  readonly audits: Readonly<Partial<Record<ProviderKind, AuditedCounts>>>;
};

const percent = (share: number): string => `${Math.round(share * 100)} %`;
const wholeText = (value: number): string =>
  Number.isFinite(value) ? Math.round(value).toLocaleString('en-GB').replaceAll(',', ' ') : '-';
const ms = (value: number): string => (Number.isFinite(value) ? value.toFixed(1) : '-');
const ratio = (value: number): string => (Number.isFinite(value) ? value.toFixed(2) : '-');

/** Returns the line of a round, with one ratio for each measure. */
export function roundLine(round: number, rounds: number, taken: readonly MeasureResult[]): string {
  const ratios = taken.map(({ name, rounds: pairs }) => {
    const last = pairs.at(-1);
    if (!last) return name;
    const mark = isClean(last) ? '' : '!';
    return `${name} ${ratio(last.ours.perSecond / last.limit.perSecond)}${mark}`;
  });
  const latest = taken.flatMap(({ rounds: pairs }) => {
    const last = pairs.at(-1);
    return last ? [last.limit.foreign, last.ours.foreign] : [];
  });
  const foreign = percent(Math.max(...latest));
  return `round ${round}/${rounds}  ${ratios.join('  ')}  foreign CPU up to ${foreign}`;
}

const headings = [
  'measure',
  'limit/s',
  'ours/s',
  'ratio',
  'from to',
  'limit us',
  'ours us',
  '= service',
  '+ postgres',
  'ratio',
  'limit WAL',
  'ours WAL',
  'ratio',
  'p50 ms',
  'p99 ms',
  'load us',
  'provider us',
  'warm',
  'clean',
];

function row({ title, warmRuns, rounds }: MeasureResult): string[] {
  const counted = countedRounds(rounds);
  const medianOf = (side: 'limit' | 'ours', measureOf: (sample: Sample) => number) =>
    median(counted.map((pair) => measureOf(pair[side])));
  const comparedColumns = (
    measureOf: (sample: Sample) => number,
    show: (value: number) => string,
  ) => [show(medianOf('limit', measureOf)), show(medianOf('ours', measureOf))];
  return [
    title,
    ...comparedColumns((s) => s.perSecond, wholeText),
    ratio(medianRatio(counted, (s) => s.perSecond)),
    spreadOf(counted.map(({ limit, ours }) => ours.perSecond / limit.perSecond)),
    ...comparedColumns((s) => s.cpuUs, wholeText),
    wholeText(medianOf('ours', (s) => s.serviceUs)),
    wholeText(medianOf('ours', (s) => s.postgresUs)),
    ratio(medianRatio(counted, (s) => s.cpuUs)),
    ...comparedColumns((s) => s.walBytes, wholeText),
    ratio(medianRatio(counted, (s) => s.walBytes)),
    ms(medianOf('ours', (s) => s.p50Ms)),
    ms(medianOf('ours', (s) => s.p99Ms)),
    wholeText(medianOf('ours', (s) => s.loadUs)),
    wholeText(medianOf('ours', (s) => s.providerUs)),
    warmRuns,
    `${rounds.filter(isClean).length}/${rounds.length}`,
  ];
}

function align(table: readonly (readonly string[])[]): string {
  const widths = headings.map((_, at) => Math.max(...table.map((line) => line[at]?.length ?? 0)));
  return table
    .map((line) =>
      line
        .map((cell, at) =>
          at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Returns the block at the end of a run. */
export function report(result: BenchResult): string {
  const { measures, starts, latency, burst, deliveries, memoryMb, memory, pages, audits } = result;
  const blocks: string[] = [];
  if (measures.length > 0) {
    blocks.push(align([headings, ...measures.map(row)]), explanation);
  }
  const auth = measures.find(({ name }) => name === 'auth');
  if (auth) blocks.push(describeCheck(auth));
  if (starts.length > 0) blocks.push(startLine(result));
  if (memoryMb) {
    blocks.push(
      `memory (RSS of the service): ${wholeText(memoryMb.ready)} MB when ready, ` +
        `${wholeText(memoryMb.afterLoad)} MB after the load`,
    );
  }
  if (latency.length > 0) blocks.push(describeLatency(latency));
  if (burst.length > 0) blocks.push(describeBurst(burst, result.conditions.processes));
  if (result.smallest) blocks.push(describeSmallest(result.smallest));
  if (result.shops.length > 0) blocks.push(describeShops(result.shops));
  if (deliveries) blocks.push(describeDeliveries(deliveries));
  if (memory.length > 0) blocks.push(describeMemory(memory));
  if (pages.length > 0) blocks.push(describePageOpen(pages));
  for (const [kind, found] of Object.entries(audits)) {
    if (found.answered + found.failed === 0) continue;
    blocks.push(
      `audit (${kind}): ${wholeText(found.answered)} captures answered, ${wholeText(found.failed)} failed; ` +
        `${wholeText(found.captured)} payments succeeded, ${wholeText(found.events)} events, ` +
        `${wholeText(found.asked)} provider captures`,
    );
  }
  const failures = failureLines(measures);
  return [...blocks, ...failures, conditions(result)].join('\n\n');
}

const explanation = [
  'us: CPU microseconds per operation, the service and its children and all of PostgreSQL; load',
  'generator and provider apart. WAL: bytes per operation. Values are medians of the rounds, ratios',
  'medians of the ratios of each round (ours/limit). The limit is SQL alone, 16 connections: two',
  'durable statements a capture, one a session, one a read; of a read to anyone and to a token it is',
  'the same handler and statement that ask nobody for a token. p50 and p99 are ours, closed loop.',
  'from, to: smallest and largest ratio of the rates. warm: runs of limit + ours until both were warm.',
].join('\n');

/** Describes the cost of checking a token. */
function describeCheck({ rounds }: MeasureResult): string {
  const counted = countedRounds(rounds);
  const moreThanLimit = (measureOf: (sample: Sample) => number) =>
    median(counted.map(({ limit, ours }) => measureOf(ours) - measureOf(limit)));
  const signedText = (us: number) => `${us < 0 ? '-' : '+'}${Math.abs(us).toFixed(1)} us`;
  return (
    `check of the token: ${ratio(medianRatio(counted, (s) => s.perSecond))} of the rate without, ` +
    `${signedText(moreThanLimit((s) => s.cpuUs))} of CPU (service ${signedText(moreThanLimit((s) => s.serviceUs))}, ` +
    `PostgreSQL ${signedText(moreThanLimit((s) => s.postgresUs))})`
  );
}

function startLine({ starts }: BenchResult): string {
  const ours = median(starts.map(({ oursMs }) => oursMs));
  const bare = median(starts.map(({ bareMs }) => bareMs));
  const ratios = starts.map(({ oursMs, bareMs }) => oursMs / bareMs);
  const times = ratio(median(ratios));
  return (
    `cold start to the first authenticated 200: ${wholeText(ours)} ms; bare node:http ` +
    `${wholeText(bare)} ms; ratio ${times} (median of ${starts.length}, ${spreadOf(ratios)})`
  );
}

function failureLines(measures: readonly MeasureResult[]): string[] {
  return measures.flatMap(({ title, rounds }) => {
    const samples = rounds.flatMap(({ limit, ours }) => [limit, ours]);
    const failed = samples.reduce((sum, each) => sum + each.failed, 0);
    const first = samples.find((each) => each.firstFailure)?.firstFailure;
    return failed > 0 ? [`FAILED ${failed} of ${title}; first: ${first}`] : [];
  });
}

function conditions({ conditions: facts, measures }: BenchResult): string {
  const foreign = measures.flatMap(({ rounds }) =>
    rounds.flatMap(({ limit, ours }) => [limit.foreign, ours.foreign]),
  );
  const hasNoise = measures.some(({ rounds }) => !rounds.every(isClean));
  const isPoor = measures.some(
    ({ rounds }) => countedRounds(rounds) === rounds && !rounds.every(isClean),
  );
  const settings = Object.entries(facts.settings).map(([name, value]) => `${name}=${value}`);
  const lines = [
    `${facts.cores} cores, load average ${facts.loadAverage.map((n) => n.toFixed(1)).join(' ')} ` +
      `before; Node ${facts.node}; PostgreSQL ${facts.postgres} (${settings.join(', ')}); ` +
      `${facts.processes === 1 ? 'one service process' : `${facts.processes} service processes`}, SVC_LIMITS=off, no webhook endpoint; runs of ${facts.segmentMs} ms`,
    'provider: a stub that answers at once (capture at the sandbox: the sandbox process, its CPU apart)',
  ];
  if (foreign.length > 0) {
    lines.push(
      `foreign CPU: median ${percent(median(foreign))}, most ${percent(Math.max(...foreign))}`,
    );
  }
  if (hasNoise) {
    lines.push(
      `rounds with more than ${percent(maxForeignLoad)} of it are marked ! and ` +
        (isPoor ? 'still count where fewer than 3 were clean: measure again' : 'do not count'),
    );
  }
  return lines.join('\n');
}
