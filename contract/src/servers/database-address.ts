const shape = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/;

/**
 * The parts of an address of PostgreSQL: `account` ends with its `@`, `path` begins with its `/`, `query` has no `?`.
 * Undefined for another text.
 */
export function splitAddress(address: string) {
  const parts = shape.exec(address);
  if (!parts || /\s/.test(address)) return undefined;
  const [, scheme = '', account = '', servers = '', path = '', query = ''] = parts;
  return { scheme, account, servers, path, query };
}

/**
 * Returns the address of a database so that the driver reads `sslmode` as libpq does: `require` encrypts
 * and trusts any certificate, `verify-full` one of the host alone. The driver verifies in every mode.
 */
export function asLibpqReads(url: string): string {
  const asked = new URLSearchParams(url.split('?')[1]);
  const mode = asked.get('sslmode') ?? '';
  // Without an authority of its own the driver knows no `verify-ca`, and verifies the host too.
  const isKnown =
    ['prefer', 'require'].includes(mode) || (mode === 'verify-ca' && asked.has('sslrootcert'));
  return isKnown && !asked.has('uselibpqcompat') ? `${url}&uselibpqcompat=true` : url;
}
