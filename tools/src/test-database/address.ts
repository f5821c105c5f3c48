// The address of a test's database, for servers that a test places between a driver and the database.

// A socket's address has no host before the path, which `URL` refuses.
const nowhere = 'no-host.invalid';
const parse = (url: string): URL => new URL(url.replace('@/', `@${nowhere}/`));

/** Returns the server's host, or the folder of its Unix socket, and its port. */
export function targetOf(url: string): { readonly host: string; readonly port: string } {
  const parsed = parse(url);
  const host = parsed.searchParams.get('host') ?? parsed.hostname;
  return { host, port: parsed.searchParams.get('port') ?? (parsed.port || '5432') };
}

/** Returns the same address with the Unix socket in `folder`. */
export function redirect(url: string, folder: string): string {
  const parsed = parse(url);
  parsed.searchParams.set('host', folder);
  parsed.searchParams.delete('port');
  parsed.port = '';
  return parsed.href.replace(`@${nowhere}/`, '@/');
}
