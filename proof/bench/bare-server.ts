// The floor of a cold start: a server that does nothing, started the same way as the service.

import { createServer } from 'node:http';

const server = createServer((_, response) => {
  response.setHeader('content-type', 'application/json');
  response.end('{}');
});
process.once('SIGTERM', () => process.exit(0));
server.listen(Number(process.env.SVC_PORT), '127.0.0.1', () => {
  console.log(JSON.stringify({ ready: true }));
});
