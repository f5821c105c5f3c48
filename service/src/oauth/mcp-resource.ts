/** Returns the resource that agents name: a token for it opens only /mcp. */
export const agentsAddress = (baseUrl: string): string => `${baseUrl}/mcp`;
