// The controls need no credentials, so pages of other sites must not reach them: neither by a cross-site
// request nor by a host name that was made to resolve to this machine.
import type { FastifyRequest } from 'fastify';

class ForeignPageError extends Error {
  readonly statusCode = 403;
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

const hostnameOf = (host: string): string | undefined =>
  /^[\w.:[\]-]+$/.test(host) ? URL.parse(`http://${host}`)?.hostname : undefined;

type Asked = Pick<FastifyRequest, 'headers'>;

/** Throws for a host name that is not this machine's. */
export const assertOwnHost = ({ headers: { host = '' } }: Asked): void => {
  if (!loopback.test(hostnameOf(host) ?? '')) {
    throw new ForeignPageError(
      'the Host header must name this machine: localhost, 127.0.0.1 or [::1]',
    );
  }
};

/** Throws for a host name that is not this machine's and for a request by another site's page. */
export const assertOwnPage = (request: Asked): void => {
  assertOwnHost(request);
  const { host = '', origin, 'sec-fetch-site': site } = request.headers;
  if (origin !== undefined && origin !== `http://${host}`) {
    throw new ForeignPageError('pages of another origin may not use the controls');
  }
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new ForeignPageError('pages of another site may not use the controls');
  }
};
