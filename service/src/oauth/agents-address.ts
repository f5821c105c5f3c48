/** The resource that agents name: a token for it opens /mcp, and nothing else of the service. */
export const agentsAddress = (baseUrl: string): string => `${baseUrl}/mcp`;
