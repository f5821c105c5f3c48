// WebKitGTK through WebDriver, from Debian's package webkit2gtk-driver; it runs under xvfb-run when
// there is no screen.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { freePort } from '@svc/tools/free-port';
import { scaled } from '@svc/tools/machine';
import { expect, vi } from 'vitest';

const findOnPath = (name: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));

const needsScreen = (): boolean => !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY;

/** Returns the command that starts the driver; undefined when a part is missing. */
export function webKitDriver(): readonly string[] | undefined {
  const driver = findOnPath('WebKitWebDriver');
  const screen = findOnPath('xvfb-run');
  if (!driver || (needsScreen() && !screen)) return undefined;
  return needsScreen() && screen ? [screen, '-a', driver] : [driver];
}

/** A reference to an element or a frame, in WebDriver's form. */
export type Element = Readonly<Record<string, string>>;

export class WebKit {
  #driver: ChildProcess | undefined;
  #address = '';
  #session = '';

  async start(): Promise<void> {
    const [command, ...before] = webKitDriver() ?? [];
    if (!command) throw new Error('no WebKitWebDriver here');
    const port = await freePort();
    this.#address = `http://127.0.0.1:${port}`;
    // A process group of its own, which contains the screen and the browser.
    this.#driver = spawn(command, [...before, `--port=${port}`], {
      detached: true,
      stdio: 'ignore',
    });
    await vi.waitFor(() => fetch(`${this.#address}/status`), { timeout: scaled(30_000) });
  }

  stop(): void {
    const { pid } = this.#driver ?? {};
    if (pid) process.kill(-pid, 'SIGTERM');
  }

  /** Opens a browser with an empty profile and closes the earlier one. */
  async open(): Promise<void> {
    await this.close();
    const { sessionId } = (await this.#call('', { capabilities: {} })) as { sessionId: string };
    this.#session = `/${sessionId}`;
    await this.#call('/timeouts', { script: scaled(30_000) });
  }

  async close(): Promise<void> {
    if (this.#session) await this.#call('', undefined, 'DELETE');
    this.#session = '';
  }

  async goto(url: string): Promise<void> {
    await this.#call('/url', { url });
  }

  url(): Promise<string> {
    return this.#call('/url', undefined, 'GET') as Promise<string>;
  }

  /** Returns the value of an expression in the page or frame; awaits a promise. */
  evaluate(expression: string): Promise<unknown> {
    const script = `const done = arguments[arguments.length - 1];
      Promise.resolve(${expression}).then(done, (error) => done(String(error)));`;
    return this.#call('/execute/async', { script, args: [] });
  }

  /** Waits until the expression returns an element, and returns the element. */
  async element(expression: string): Promise<Element> {
    let got: Element | null = null;
    await expect
      .poll(async () => {
        const script = `return ${expression}`;
        got = (await this.#call('/execute/sync', { script, args: [] })) as Element | null;
        return got !== null;
      })
      .toBe(true);
    return got as unknown as Element;
  }

  async click(expression: string): Promise<void> {
    await this.#call(`/element/${idOf(await this.element(expression))}/click`, {});
  }

  async type(expression: string, text: string): Promise<void> {
    const id = idOf(await this.element(expression));
    await this.#call(`/element/${id}/clear`, {});
    await this.#call(`/element/${id}/click`, {});
    await this.#call(`/element/${id}/value`, { text });
  }

  /** Runs `doIt` inside the frame that the expression returns, and then goes back to the page. */
  async within<T>(frame: string, doIt: () => Promise<T>): Promise<T> {
    await this.#call('/frame', { id: await this.element(frame) });
    try {
      return await doIt();
    } finally {
      await this.#call('/frame', { id: null });
    }
  }

  async #call(path: string, body?: object, method = 'POST'): Promise<unknown> {
    const response = await fetch(`${this.#address}/session${this.#session}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    const { value } = (await response.json()) as { value: unknown };
    if (response.ok) return value;
    throw new Error(`${method} ${path}: ${JSON.stringify(value).slice(0, 300)}`);
  }
}

const idOf = (element: Element): string => Object.values(element)[0] ?? '';
