// What is removed once it is older than the operator keeps it. docs/operating/retention.md.

export const keptKinds = [
  'answers',
  'attempts',
  'deliveries',
  'events',
  'notices',
  'sessions',
] as const;

export type KeptKind = (typeof keptKinds)[number];

/** Days that rows of each kind are kept after they have ended; null: for ever. */
export type KeepDays = Readonly<Record<KeptKind, number | null>>;

export const defaultKeepDays: KeepDays = {
  answers: 90,
  attempts: 90,
  deliveries: 90,
  events: 400,
  notices: 90,
  sessions: 30,
};
