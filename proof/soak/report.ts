// The output of a proof and of a soak.

import { type Layer, layers } from './layers.ts';
import type { LayerReport } from './run-layer.ts';

/** Returns the estimated duration as text. */
export function estimateDuration(chosen: readonly { layer: Layer; count: number }[]): string {
  const seconds = chosen.reduce(
    (sum, { layer, count }) => sum + count / (layer.perSecond * (layer.isSideBySide ? 2 : 1)),
    0,
  );
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}

/** Returns the count from which every counter must be reached: a tenth of the long count. */
const countNeeded = (name: Layer['name']): number =>
  Math.ceil((layers.find((layer) => layer.name === name)?.byDefault.soak ?? 0) / 10);

const isTooFew = ({ layer, wanted }: LayerReport): boolean => wanted < countNeeded(layer);

export const problemsOf = (report: LayerReport): string[] => {
  const { id, counts, violations, never } = report;
  return [
    ...violations.map((one) => `${id} ${counts}: ${one}`),
    ...(isTooFew(report) ? [] : never.map((one) => `${id} ${counts}: never seen: ${one}`)),
  ];
};

/**
 * Returns why a run proves nothing, when it was too short or could not run; otherwise undefined.
 */
export function describeShortRun(report: LayerReport): string | undefined {
  const { layer, id, counts, wanted, done, never, notRun } = report;
  if (notRun) return `${id}: ${wanted - done} ${counts} were not run: ${notRun}`;
  if (!isTooFew(report) || never.length === 0) return undefined;
  const enough = `${countNeeded(layer)} are enough`;
  return `${id}: ${wanted} ${counts} are too few to judge, ${enough}; not seen: ${never.join(', ')}`;
}

const head = ['layer', 'what', 'done', 'of', 'violations', 'never seen', 'seconds'];

/** Returns one line for each layer, and the results of the operator's commands on each database. */
export function table(reports: readonly LayerReport[]): string {
  const rows = reports.map((one) =>
    [
      one.id,
      one.counts,
      one.done,
      one.wanted,
      one.violations.length,
      one.never.length,
      one.seconds,
    ].map(String),
  );
  const widths = head.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const formatLine = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  const said = reports.flatMap(({ id, commands }) => commands.map((one) => `${id} ${one}`));
  return [formatLine(head), ...rows.map(formatLine), ...said].join('\n');
}
