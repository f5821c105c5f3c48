// What stands behind `npm run soak --`.

import { parseArgs } from 'node:util';
import { type LayerName, layerNames, layers } from './layers.ts';

export type SoakOptions = {
  readonly only: readonly LayerName[];
  readonly seed: number;
  /** Ends the soak after so long, and says what was reached. */
  readonly minutes: number | null;
  readonly counts: Readonly<Record<LayerName, number>>;
};

const countOptions = layers.flatMap(({ option }) => (option === null ? [] : [option]));

export const usage = `npm run soak -- [options]

  --only LAYERS   of ${layerNames.join(', ')}; separated by commas
  --scale SHARE   of every count, such as 0.1
  --seed N        the first seed; a report names it
  --minutes M     end after so long
${layers
  .flatMap(({ option, counts, byDefault }) =>
    option === null ? [] : [`  --${option.padEnd(12)} ${counts} (${byDefault})`],
  )
  .join('\n')}`;

/** Throws the usage where something makes no sense. */
export function readOptions(args: readonly string[], seed: number): SoakOptions {
  const names = ['only', 'scale', 'seed', 'minutes', ...countOptions];
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  let values: Readonly<Record<string, string | undefined>>;
  try {
    ({ values } = parseArgs({ args: [...args], options }));
  } catch (error) {
    throw new Error(`${(error as Error).message}\n\n${usage}`);
  }
  const number = (name: string, fallback: number): number => {
    const value = Number(values[name] ?? fallback);
    if (Number.isFinite(value) && value >= 0) return value;
    throw new Error(`--${name} is a number: ${values[name]}\n\n${usage}`);
  };
  const only = values.only?.split(',') ?? layerNames;
  for (const name of only) {
    if (!layerNames.includes(name as LayerName)) {
      throw new Error(`--only ${name}: no such layer\n\n${usage}`);
    }
  }
  const scale = number('scale', 1);
  const counts = layers.map(({ name, option, byDefault }) => [
    name,
    option === null ? byDefault : Math.ceil(number(option, byDefault * scale)),
  ]);
  return {
    only: layerNames.filter((name) => only.includes(name)),
    seed: number('seed', seed),
    minutes: values.minutes === undefined ? null : number('minutes', 0),
    counts: Object.fromEntries(counts) as Record<LayerName, number>,
  };
}
