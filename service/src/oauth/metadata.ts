// The documents by which clients find the server: RFC 8414 for the authorization server, RFC 9728
// for the protected resource. They are public, the same for everybody, and readable from any page.

import { type Scope, scopes } from '@svc/contract/rows/scopes';
import type { FastifyInstance } from 'fastify';
import { deviceGrant } from './client-metadata.ts';

const authorizationServer = (baseUrl: string) => ({
  issuer: baseUrl,
  authorization_endpoint: `${baseUrl}/oauth/authorize`,
  token_endpoint: `${baseUrl}/oauth/token`,
  revocation_endpoint: `${baseUrl}/oauth/revoke`,
  introspection_endpoint: `${baseUrl}/oauth/introspect`,
  device_authorization_endpoint: `${baseUrl}/oauth/device_authorization`,
  scopes_supported: scopes,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token', deviceGrant],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  prompt_values_supported: ['none', 'login', 'consent'],
});

const protectedResource = (
  baseUrl: string,
  { resource, asked }: { resource: string; asked: readonly Scope[] },
) => ({
  resource,
  authorization_servers: [baseUrl],
  scopes_supported: asked,
  bearer_methods_supported: ['header'],
  resource_name: 'Svc',
  resource_documentation: `${baseUrl}/docs`,
});

export function serveMetadata(app: FastifyInstance, baseUrl: string): void {
  const serve = (path: string, document: object) => {
    const text = JSON.stringify(document);
    app.get(path, (_request, reply) =>
      reply
        .header('content-type', 'application/json; charset=utf-8')
        .header('cache-control', 'public, max-age=300')
        .header('access-control-allow-origin', '*')
        .header('cross-origin-resource-policy', 'cross-origin')
        .send(text),
    );
  };
  serve('/.well-known/oauth-authorization-server', authorizationServer(baseUrl));
  serve(
    '/.well-known/oauth-protected-resource',
    protectedResource(baseUrl, { resource: baseUrl, asked: scopes }),
  );
  // Many agents ask for every scope that is listed here, and none needs to make API tokens. docs/decisions/agents.md.
  const forAgents = scopes.filter((scope) => scope !== 'mcp');
  // RFC 9728 §3.1: the resource's path is appended; the resource in the document must be the requested one.
  serve(
    '/.well-known/oauth-protected-resource/mcp',
    protectedResource(baseUrl, { resource: `${baseUrl}/mcp`, asked: forAgents }),
  );
}
