// Decides which pages may embed the card form. The form's address holds the list, which the service signs
// and from which the vault makes its frame-ancestors. The rule is that of contract/src/servers/origins.ts. Contract §4.

/** The entry of the list that allows an origin with any port: `http://localhost:*`. */
const withAnyPort = (origin: string): string =>
  `${origin
    .replace(/:\d+$/, '')
    .replace(/\/\/127(\.\d{1,3}){3}$/, '//127.0.0.1')
    .replace(/\/\/[\w.-]+\.localhost$/, '//*.localhost')}:*`;

/** Returns false when this page or one around it is not in the list, true when no list can be read. */
export function mayEmbed(formUrl: string): boolean {
  try {
    const text = new URL(formUrl).searchParams.get('parents') ?? '';
    const encoded = text.replace(/\..*/, '').replaceAll('-', '+').replaceAll('_', '/');
    const list = JSON.parse(atob(encoded)) as string[];
    const pages = [origin, ...(location.ancestorOrigins ?? [])];
    return pages.every((page) => list.includes(page) || list.includes(withAnyPort(page)));
  } catch {
    return true;
  }
}
