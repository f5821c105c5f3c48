type ResourceState = Readonly<Record<string, unknown>>;

/** Fields that are left out of the difference: they only state when and how often a resource changed. */
const ignoredFields = new Set(['createdAt', 'updatedAt', 'version', 'object']);

/** Returns the fields that differ between two states of a resource, for the audit log. */
export function differencesOf(
  before: ResourceState,
  after: ResourceState,
): { readonly before: ResourceState; readonly after: ResourceState } {
  const names = Object.keys(after).filter(
    (name) =>
      !ignoredFields.has(name) && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const pick = (facts: ResourceState) =>
    Object.fromEntries(names.map((name) => [name, facts[name]]));
  return { before: pick(before), after: pick(after) };
}

/** The fields of a new resource, as the audit log shows them. */
export const createdFacts = (facts: ResourceState): ResourceState => differencesOf({}, facts).after;
