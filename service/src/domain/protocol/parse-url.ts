/** The same as URL.parse, which not every release of Node 20 has; the packaged commands run there too. */
export const parseUrl = (text: string): URL | null => (URL.canParse(text) ? new URL(text) : null);
