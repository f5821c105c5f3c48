import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openProject } from './project.ts';

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'svc-project-'));
});
afterEach(() => rmSync(data, { recursive: true }));

const env = {
  SVC_API_URL: 'https://elsewhere.example',
  SVC_CLIENT_ID: 'client-elsewhere',
  SVC_API_TOKEN: 'svc_elsewhere',
  SVC_SANDBOX_URL: 'https://sandbox.elsewhere.example',
};
const elsewhere = {
  apiUrl: env.SVC_API_URL,
  clientId: env.SVC_CLIENT_ID,
  sandboxUrl: env.SVC_SANDBOX_URL,
  isFound: false,
};

function writeRunning(): void {
  const running = {
    apiUrl: 'http://localhost:4000',
    clientId: 'client-here',
    apiToken: 'svc_here',
    sandboxUrl: 'http://localhost:4002',
    ownerEmail: 'owner@shop.example',
  };
  writeFileSync(join(data, 'service.env'), '');
  writeFileSync(join(data, 'running.json'), JSON.stringify(running));
}

describe('which service is meant', () => {
  it('that of a start whose folder is named, whatever the environment says', () => {
    writeRunning();
    expect(openProject({ data }, { env })).toMatchObject({
      apiUrl: 'http://localhost:4000',
      clientId: 'client-here',
      sandboxUrl: 'http://localhost:4002',
      isFound: true,
    });
    rmSync(join(data, 'running.json'));
    // The service has stopped, and no other one is used in its place.
    expect(() => openProject({ data }, { env })).toThrow(`no npm start runs in ${data}`);
  });

  it('that of the environment where the folder only keeps things, or none is named', () => {
    expect(openProject({ data }, { env })).toMatchObject({ ...elsewhere, folder: data });
    expect(openProject({}, { env })).toMatchObject(elsewhere);
  });

  it('that of the flags before all', () => {
    writeRunning();
    const api = 'https://flags.example';
    expect(openProject({ data, api }, { env })).toMatchObject({ ...elsewhere, apiUrl: api });
  });
});
