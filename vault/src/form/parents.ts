// Which pages may send messages to the form: the `parents` query parameter of its address. The vault
// verified its signature before it let any page embed the form; here it is only read. Contract §4.

/** Returns the origins of the list in the form's own address; empty when there is none. */
export function parentsOf(search: string): readonly string[] {
  try {
    const [encoded = ''] = (new URLSearchParams(search).get('parents') ?? '').split('.');
    const bytes = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'));
    const list: unknown = JSON.parse(bytes);
    return Array.isArray(list) ? list.filter((origin) => typeof origin === 'string') : [];
  } catch {
    return [];
  }
}

/** The list's signature, which proves to the vault for which pages this form was opened. */
export const parentsSignature = (search: string): string =>
  new URLSearchParams(search).get('parents')?.split('.')[1] ?? '';
