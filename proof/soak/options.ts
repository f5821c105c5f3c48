// The options of `npm run proof --` and `npm run soak --`.

import { parseArgs } from 'node:util';
import { type LayerName, type Level, layerNames, layers } from './layers.ts';

export type RunOptions = {
  readonly only: readonly LayerName[];
  readonly seed: number;
  /** Ends the run after this many minutes and reports the counts so far. */
  readonly minutes: number | null;
  readonly counts: Readonly<Record<LayerName, number>>;
};

const countOptions = layers.flatMap(({ option }) => (option === null ? [] : [option]));

export const usageOf = (level: Level): string => `npm run ${level} -- [LAYERS] [options]

  --only LAYERS   of ${layerNames.join(', ')}; separated by commas; also without --only
  --scale SHARE   of every count, such as 0.1
  --seed N        the first seed; a report names it
  --minutes M     end after so long
  --help          this text
${layers
  .flatMap(({ option, counts, byDefault }) =>
    option === null ? [] : [`  --${option.padEnd(13)} ${counts} (${byDefault[level]})`],
  )
  .join('\n')}`;

/** Throws an error with the usage when an option is invalid. */
export function readOptions(level: Level, args: readonly string[], seed: number): RunOptions {
  const usage = usageOf(level);
  const names = ['only', 'scale', 'seed', 'minutes', ...countOptions];
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  let values: Readonly<Record<string, string | undefined>>;
  let named: readonly string[];
  try {
    ({ values, positionals: named } = parseArgs({
      ...{ args: [...args], options, allowPositionals: true },
    }));
  } catch (error) {
    throw new Error(`${(error as Error).message}\n\n${usage}`);
  }
  const number = (name: string, fallback: number): number => {
    const value = Number(values[name] ?? fallback);
    if (Number.isFinite(value) && value >= 0) return value;
    throw new Error(`--${name} is a number: ${values[name]}\n\n${usage}`);
  };
  const chosen = [...named, ...(values.only ? [values.only] : [])].flatMap((one) => one.split(','));
  const only = chosen.length > 0 ? chosen : layerNames;
  for (const name of only) {
    if (!layerNames.includes(name as LayerName)) {
      throw new Error(`${name}: no such layer\n\n${usage}`);
    }
  }
  const scale = number('scale', 1);
  const counts = layers.map(({ name, option, byDefault }) => [
    name,
    option === null ? byDefault[level] : Math.ceil(number(option, byDefault[level] * scale)),
  ]);
  return {
    only: layerNames.filter((name) => only.includes(name)),
    seed: number('seed', seed),
    minutes: values.minutes === undefined ? null : number('minutes', 0),
    counts: Object.fromEntries(counts) as Record<LayerName, number>,
  };
}
