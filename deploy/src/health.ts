// Ends with 0 when the process of this container is ready: the ports are those of its settings.

const { SVC_PORT = '4000', VAULT_PORT, SANDBOX_PORT } = process.env;
const sandbox = SANDBOX_PORT && `${SANDBOX_PORT}/_control/clock`;
const place = VAULT_PORT ? `${VAULT_PORT}/readyz` : (sandbox ?? `${SVC_PORT}/readyz`);
try {
  const answer = await fetch(`http://127.0.0.1:${place}`, { signal: AbortSignal.timeout(4000) });
  if (!answer.ok) process.stderr.write(`${answer.status} ${await answer.text()}\n`);
  process.exitCode = answer.ok ? 0 : 1;
} catch (error) {
  const { message, cause } = error as Error & { cause?: Error };
  process.stderr.write(`${place}: ${cause?.message || message}\n`);
  process.exitCode = 1;
}
