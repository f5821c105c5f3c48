// The address of a test's database, for what stands between a driver and the server.

// A socket's address has no host before the path, which `URL` refuses.
const nowhere = 'no-host.invalid';
const parse = (url: string): URL => new URL(url.replace('@/', `@${nowhere}/`));

/** Host, or folder of the Unix socket, and port of the server. */
export function targetOf(url: string): { readonly host: string; readonly port: string } {
  const parsed = parse(url);
  const host = parsed.searchParams.get('host') ?? parsed.hostname;
  return { host, port: parsed.searchParams.get('port') ?? (parsed.port || '5432') };
}

/** The same address by the Unix socket of `folder`. */
export function redirect(url: string, folder: string): string {
  const parsed = parse(url);
  parsed.searchParams.set('host', folder);
  parsed.searchParams.delete('port');
  parsed.port = '';
  return parsed.href.replace(`@${nowhere}/`, '@/');
}
