/** As URL.parse, which is not in every release of Node 20, where the packed commands run too. */
export const parseUrl = (text: string): URL | null => (URL.canParse(text) ? new URL(text) : null);
