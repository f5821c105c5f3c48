type Facts = Readonly<Record<string, unknown>>;

/** Tells nothing that the change is about: when, and how often it changed. */
const beside = new Set(['createdAt', 'updatedAt', 'version', 'object']);

/** What differs between two states of a resource, field by field, for the audit log. */
export function differencesOf(
  before: Facts,
  after: Facts,
): { readonly before: Facts; readonly after: Facts } {
  const names = Object.keys(after).filter(
    (name) => !beside.has(name) && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const pick = (facts: Facts) => Object.fromEntries(names.map((name) => [name, facts[name]]));
  return { before: pick(before), after: pick(after) };
}

/** A new resource as the audit log shows it. */
export const factsOf = (facts: Facts): Facts => differencesOf({}, facts).after;
