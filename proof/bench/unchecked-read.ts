// The service as it is, but that one read asks nobody for a credential: the control for what the
// check costs. Same server, operation and statement; only the row says that anyone may call.

import { rows } from '@svc/contract';
import { readConfig } from '@svc/service/config';
import { openLog } from '@svc/service/http/log';
import { buildServer } from '@svc/service/http/server';
import { openPorts } from '@svc/service/open-ports';
import { operations } from '@svc/service/operations/index';
import { receiveNotice } from '@svc/service/operations/provider-notices/receive-notice';
import { isSupervised, supervise } from '@svc/service/processes';

const { config } = readConfig(process.env);
const log = openLog(config.logLevel, process.stderr);
if (config.processes > 1 && !isSupervised) await supervise(config, log);
const clientId = process.env.BENCH_CLIENT ?? '';

const { ports } = openPorts(config, () => undefined);
const server = buildServer({
  ...config,
  rows: { ...rows, getPayment: { ...rows.getPayment, auth: 'anyone' } },
  operations: {
    ...operations,
    getPayment: (input, { requestId, origin }, ...rest) =>
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
