import { afterAll, beforeAll, expect, test } from 'vitest';
import { build, ncclTs } from './support/command.ts';
import { FreshFolder } from './support/fresh-folder.ts';

const timeout = 240_000;
const fresh = new FreshFolder('mcp');
beforeAll(build, timeout);
afterAll(() => fresh.remove());

test('nccl-ts mcp names the package to install, and starts it if it is there', { timeout }, async () => {
  // pnpm's own scripts set NODE_PATH, which has all packages.
  const missing = await ncclTs(['mcp'], fresh.path, { NODE_PATH: '' });
  expect(missing).toMatchObject({ code: 2, stdout: '' });
  expect(missing.stderr).toBe('error: nccl-ts mcp needs the package @nccl-ts/mcp; run npm install @nccl-ts/mcp\n');

  fresh.install({ '@nccl-ts/cli': 'apps/cli', '@nccl-ts/mcp': 'packages/mcp' });
  const hello = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '0' } },
  };
  // Its input ends after one request, and then the server ends.
  const ran = fresh.shell(`echo '${JSON.stringify(hello)}' | node_modules/.bin/nccl-ts mcp`);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(ran.stdout)).toMatchObject({ id: 1, result: { serverInfo: { name: 'nccl-ts' } } });
});
