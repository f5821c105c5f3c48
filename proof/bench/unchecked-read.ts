// The service with a second route that reads a payment without a credential: the control for the
// cost of checking a token. One process serves both routes, because two processes differ by more
// than the check costs.

import { rows } from '@svc/contract';
import { receiveNotice } from '@svc/service/engine/runs/notices/receive-notice';
import { buildServer } from '@svc/service/http/server';
import { gatherLines, openLog } from '@svc/service/http/wire/log';
import { operations } from '@svc/service/operations/index';
import { readConfig } from '@svc/service/start/config';
import { openPorts } from '@svc/service/start/open-ports';
import { isSupervised, supervise } from '@svc/service/start/processes';

const { config } = readConfig(process.env);
const log = openLog(config.logLevel, gatherLines(process.stderr));
if (config.processes > 1 && !isSupervised) await supervise(config, log);
const clientId = process.env.BENCH_CLIENT ?? '';

const { ports } = openPorts(config, () => undefined);
const server = buildServer({
  ...config,
  rows: {
    ...rows,
    readUnchecked: { ...rows.getPayment, call: 'GET /v1/unchecked/{paymentId}', auth: 'anyone' },
  },
  operations: {
    ...operations,
    readUnchecked: (input, { requestId, origin }, ...rest) =>
      operations.getPayment(
        input,
        {
          kind: 'server',
          via: 'token',
          clientId,
          userId: clientId,
          tokenId: clientId,
          role: 'owner',
          scopes: null,
          requestId,
          origin,
        },
        ...rest,
      ),
  },
  ports,
  receiveNotice,
  log,
});
process.once('SIGTERM', () => process.exit(0));
await server.listen(config.host, config.port);
console.log(JSON.stringify({ ready: true, url: config.baseUrl }));
