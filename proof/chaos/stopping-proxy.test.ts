import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openStoppingProxy, type StoppingProxy } from './stopping-proxy.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function openFixture(): Promise<{ gate: StoppingProxy; heard: string[]; copied: string[] }> {
  const heard: string[] = [];
  const copied: string[] = [];
  const server: Server = createServer((request, response) => {
    heard.push(request.url ?? '');
    response.end(`answer to ${request.url}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  const gate = await openStoppingProxy({
    to: { port, host: '127.0.0.1' },
    record: (side, bytes) => copied.push(`${side} ${bytes.toString()}`),
  });
  closing.push(() => gate.close());
  return { gate, heard, copied };
}

const ask = async (gate: StoppingProxy, path: string, signal?: AbortSignal) =>
  (await fetch(`http://127.0.0.1:${gate.port}${path}`, { ...(signal ? { signal } : {}) })).text();

describe('the gate', () => {
  it('carries both ways and keeps a copy', async () => {
    const { gate, copied } = await openFixture();
    expect(await ask(gate, '/a')).toBe('answer to /a');
    expect(copied.join()).toMatch(/requests GET \/a HTTP.*answers HTTP.*answer to \/a/s);
  });

  it('holds the named request, and lets others pass', async () => {
    const { gate, heard } = await openFixture();
    const holding = gate.holdNext('requests', '/held');
    const asked = ask(gate, '/held');
    const held = await holding;
    expect(await ask(gate, '/other')).toBe('answer to /other');
    expect(heard).toEqual(['/other']);
    held.forward();
    expect(await asked).toBe('answer to /held');
  });

  it('holds the answer to the named request: it was executed', async () => {
    const { gate, heard } = await openFixture();
    const holding = gate.holdNext('answers', '/held');
    const asked = ask(gate, '/held');
    const held = await holding;
    expect(heard).toEqual(['/held']);
    held.lose();
    await expect(asked).rejects.toThrow();
  });

  it('a held request is executed late, after its sender is gone', async () => {
    const { gate, heard } = await openFixture();
    const holding = gate.holdNext('requests', '/late');
    const sender = new AbortController();
    const asked = ask(gate, '/late', sender.signal);
    const held = await holding;
    sender.abort();
    await expect(asked).rejects.toThrow();
    expect(heard).toEqual([]);
    held.forward();
    await expect.poll(() => heard).toEqual(['/late']);
  });
});
