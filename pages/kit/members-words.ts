// The roles of a merchant's members in words, and the tokens that the service reports as stopping. Contract
// §6.

import { may, type Role, roles, roleWords } from '@svc/contract/rows/roles';

export type { Role };

export const roleNames: Readonly<Record<Role, string>> = Object.fromEntries(
  roles.map((role) => [role, roleWords[role].name]),
) as Record<Role, string>;

/** The roles that somebody with a role may give to others: only owners make owners. */
export function choicesFor(role: Role): Readonly<Record<string, string>> {
  const { owner: _, ...others } = roleNames;
  return may(role, 'owners.write') ? roleNames : others;
}

/** All that may be given, in a sentence each. */
export const meaningsFor = (role: Role): string =>
  roles
    .filter((each) => Object.hasOwn(choicesFor(role), each))
    .map((each) => roleWords[each].meaning)
    .join(' ');

export type StoppingToken = { readonly id: string; readonly name: string };

type Detail = { readonly path?: unknown; readonly message?: unknown };

/** The tokens of a refusal `member_has_tokens`, each named by a path `tokenIds.<id>`. */
export function tokensOfRefusal(
  facts: Readonly<Record<string, unknown>>,
): readonly StoppingToken[] {
  const details = Array.isArray(facts.errors) ? (facts.errors as Detail[]) : [];
  return details.flatMap(({ path, message }) => {
    const id = /^tokenIds\.([0-9a-f-]{36})$/i.exec(String(path))?.[1];
    if (!id) return [];
    const words = String(message);
    return [{ id, name: words.startsWith(id) ? words.slice(id.length).trim() : words }];
  });
}
