// The layers of the proof: how much of each `npm run proof` and `npm run soak` run, in which parts,
// and at about which rate.

/**
 * A proof takes about an hour on two quiet cores; a soak runs unattended, however long it takes.
 */
export type Level = 'proof' | 'soak';

export const modes = ['guarded', 'unguarded'] as const;
export type Mode = (typeof modes)[number];

export const layerNames = [
  'properties',
  'model',
  'api-model',
  'schedules',
  'checkouts',
  'detachments',
  'detachment-races',
  'revocations',
  'merchants',
  'deliveries',
  'kills',
  'crashes',
  'storms',
  'browsers',
  'release',
  'packages',
  'strangers',
  'operations',
  'shops',
  'tests',
  'covers',
  'faults',
] as const;
export type LayerName = (typeof layerNames)[number];

export type Layer = {
  readonly name: LayerName;
  /** The layer's id in the reliability goals. */
  readonly id: string;
  readonly counts: string;
  /**
   * The command line option for the count; null for files, covers and planted faults, which always
   * run all.
   */
  readonly option: string | null;
  readonly byDefault: Readonly<Record<Level, number>>;
  /** True when half of the count runs with each kind of provider. */
  readonly isInBothModes: boolean;
  /** True when both halves run at once, each in its own process. */
  readonly isSideBySide: boolean;
  /** How many run on one fixture before it is checked and replaced. */
  readonly share: number;
  /** An estimate of the rate, in one process on two quiet cores. */
  readonly perSecond: number;
};

const inBothModes = { isInBothModes: true, isSideBySide: false };
const once = { isInBothModes: false, isSideBySide: false };

export const layers: readonly Layer[] = [
  {
    ...{ name: 'properties', id: 'Y0', counts: 'seeds of the tests', option: 'seeds' },
    ...{ byDefault: { proof: 3, soak: 100 }, share: 10, perSecond: 1 / 90, ...once },
  },
  {
    ...{ name: 'model', id: 'Y1', counts: 'runs', option: 'model-runs' },
    ...{ byDefault: { proof: 100_000, soak: 1_000_000 }, share: 10_000, perSecond: 800, ...once },
  },
  {
    ...{ name: 'api-model', id: 'Y2', counts: 'runs', option: 'api-runs' },
    ...{ byDefault: { proof: 3000, soak: 30_000 }, share: 500, perSecond: 15, ...once },
  },
  {
    ...{ name: 'schedules', id: 'Y3', counts: 'schedules', option: 'schedules' },
    ...{
      byDefault: { proof: 2000, soak: 20_000 },
      share: 500,
      perSecond: 10,
      isInBothModes: true,
      isSideBySide: true,
    },
  },
  {
    ...{ name: 'checkouts', id: 'Y3', counts: 'checkout interleavings', option: 'checkouts' },
    ...{ byDefault: { proof: 2000, soak: 10_000 }, share: 1000, perSecond: 15, ...once },
  },
  {
    ...{
      name: 'detachments',
      id: 'P',
      counts: 'detachments of saved cards',
      option: 'detachments',
    },
    ...{ byDefault: { proof: 1000, soak: 5000 }, share: 1000, perSecond: 15, ...once },
  },
  {
    ...{
      name: 'detachment-races',
      id: 'P',
      counts: 'races of detachments',
      option: 'detachment-races',
    },
    ...{ byDefault: { proof: 400, soak: 2000 }, share: 500, perSecond: 4, ...once },
  },
  {
    ...{ name: 'revocations', id: 'N4', counts: 'races of revocations', option: 'revocations' },
    ...{ byDefault: { proof: 200, soak: 1000 }, share: 250, perSecond: 5, ...once },
  },
  {
    ...{ name: 'merchants', id: 'E5', counts: 'merchants behind an inbox', option: 'merchants' },
    ...{ byDefault: { proof: 200, soak: 1000 }, share: 250, perSecond: 5, ...once },
  },
  {
    ...{ name: 'deliveries', id: 'Y7', counts: 'events delivered', option: 'events' },
    ...{ byDefault: { proof: 20_000, soak: 200_000 }, share: 10_000, perSecond: 25, ...once },
  },
  {
    ...{ name: 'kills', id: 'Y4', counts: 'kills', option: 'kills' },
    ...{ byDefault: { proof: 200, soak: 2000 }, share: 250, perSecond: 1, ...inBothModes },
  },
  {
    ...{ name: 'crashes', id: 'Y5', counts: 'database crashes', option: 'crashes' },
    ...{ byDefault: { proof: 24, soak: 200 }, share: 50, perSecond: 0.5, ...inBothModes },
  },
  {
    ...{ name: 'storms', id: 'Y6', counts: 'storms', option: 'storms' },
    ...{ byDefault: { proof: 240, soak: 2400 }, share: 600, perSecond: 4, ...inBothModes },
  },
  {
    ...{ name: 'browsers', id: 'B', counts: 'test files in other browsers', option: null },
    ...{ byDefault: { proof: 1, soak: 1 }, share: 1000, perSecond: 1 / 30, ...once },
  },
  {
    ...{ name: 'release', id: 'S', counts: 'steps of installations', option: null },
    ...{ byDefault: { proof: 1, soak: 0 }, share: 1000, perSecond: 1 / 15, ...once },
  },
  {
    ...{ name: 'packages', id: 'S', counts: 'steps of installations by name', option: null },
    ...{ byDefault: { proof: 1, soak: 0 }, share: 1000, perSecond: 1 / 15, ...once },
  },
  {
    ...{
      name: 'strangers',
      id: 'S',
      counts: "integrations of strangers' at the twin",
      option: null,
    },
    ...{ byDefault: { proof: 1, soak: 0 }, share: 1000, perSecond: 1 / 20, ...once },
  },
  {
    ...{ name: 'operations', id: 'O', counts: 'faults of servers under purchases', option: null },
    ...{ byDefault: { proof: 1, soak: 1 }, share: 1000, perSecond: 1 / 90, ...once },
  },
  {
    ...{ name: 'shops', id: 'M', counts: 'cases in shops from npm', option: null },
    ...{ byDefault: { proof: 1, soak: 0 }, share: 1000, perSecond: 1 / 20, ...once },
  },
  {
    ...{ name: 'tests', id: 'T', counts: 'test files that npm test leaves out', option: null },
    ...{ byDefault: { proof: 1, soak: 1 }, share: 1000, perSecond: 1 / 30, ...once },
  },
  {
    // This layer changes the covers only when the sources have changed.
    ...{ name: 'covers', id: 'Y8', counts: 'covers written', option: null },
    ...{ byDefault: { proof: 1, soak: 0 }, share: 100, perSecond: 1 / 60, ...once },
  },
  {
    ...{ name: 'faults', id: 'Y9', counts: 'planted faults', option: null },
    ...{ byDefault: { proof: 1, soak: 1 }, share: 1000, perSecond: 0.2, ...once },
  },
];

/** A share of a layer, which one process runs. */
export type Task = {
  readonly layer: LayerName;
  readonly mode: Mode;
  readonly count: number;
  readonly seed: number;
};

export type TaskResult = {
  readonly done: number;
  readonly violations: readonly string[];
  readonly sometimes: Readonly<Record<string, number>>;
  /** The results of `svc audit` and `svc reconcile` on the database. */
  readonly commands: readonly string[];
  /** Why the layer did not run, when the machine lacks something. */
  readonly notRun?: string;
};

/** Returns the layer's work as rows of tasks; the tasks of a row run in parallel. */
export function planTasks(layer: Layer, count: number, seed: number): Task[][] {
  const chosen = layer.isInBothModes ? modes : (['guarded'] as const);
  const rows = chosen.map((mode, index) => {
    const part = Math.floor((count + chosen.length - 1 - index) / chosen.length);
    const tasks: Task[] = [];
    for (let done = 0; done < part; done += layer.share) {
      const share = Math.min(layer.share, part - done);
      tasks.push({ layer: layer.name, mode, count: share, seed: seed + done });
    }
    return tasks;
  });
  if (!layer.isSideBySide) return rows.flat().map((task) => [task]);
  const longest = Math.max(0, ...rows.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) =>
    rows.flatMap((tasks) => tasks.slice(index, index + 1)),
  );
}
