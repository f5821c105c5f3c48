// The steps by which a person moves the sandbox's clock.

export type ClockStep = {
  readonly name: string;
  /** How far the step leads from an instant. */
  readonly secondsFrom: (now: Date) => number;
};

const hour = 3_600;
const day = 24 * hour;

/** Returns the seconds until the same time of the next month, or of its last day. */
function monthFrom(now: Date): number {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth() + 1];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const then = new Date(now.getTime());
  then.setUTCFullYear(year, month, Math.min(now.getUTCDate(), lastDay));
  return Math.round((then.getTime() - now.getTime()) / 1000);
}

export const clockSteps: readonly ClockStep[] = [
  { name: '1 hour', secondsFrom: () => hour },
  { name: '1 day', secondsFrom: () => day },
  { name: '7 days', secondsFrom: () => 7 * day },
  { name: '1 month', secondsFrom: monthFrom },
];
