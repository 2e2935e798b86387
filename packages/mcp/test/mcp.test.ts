import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { build, call, connected, shift, TemporaryFolder } from './support.ts';

// The machine may be busy.
const timeout = 240_000;
/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];
// The other tests start no command.
if (inject('slow')) beforeAll(build, timeout);

const temporary = new TemporaryFolder();
afterAll(() => temporary.remove());

describe('the server', () => {
  test.for(slow)('serves a client over standard input and output, end to end', { timeout }, async () => {
    const client = new Client({ name: 'test', version: '0.0.0' });
    const bin = join(import.meta.dirname, '../bin/nccl-ts-mcp.js');
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [bin], env: temporary.environment }),
    );
    try {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(['check', 'explain', 'emit', 'predict']);
      expect(client.getInstructions()).toContain('call check');
      const racy = await call(client, 'check', { program: shift('') });
      expect(racy).toMatchObject({ exitCode: 1, isError: false });
      expect(racy.text).toMatch(/^error\[race\]/m);
      expect(racy.text).toMatch(/--> kernel\.ts:\d+:\d+/);
      expect(temporary.entries()).toEqual([]);
    } finally {
      await client.close();
    }
  });

  test('refuses texts that are too long, and arguments that make no program', async () => {
    const client = await connected({ textBytes: 100 });
    expect(await call(client, 'check', { program: `//${'x'.repeat(100)}` })).toMatchObject({
      isError: true,
      text: 'The texts have 102 bytes; at most 100 are allowed.',
    });
    expect(await call(client, 'emit', { program: 'a', ptx: 'b' })).toMatchObject({
      isError: true,
      text: 'Give either program, or ptx with launch.',
    });
    expect(await call(client, 'emit', {})).toMatchObject({ isError: true });
    expect(await call(client, 'explain', { code: '--markdown' })).toMatchObject({
      isError: true,
      text: 'code must not begin with -; given "--markdown".',
    });
    expect(await call(client, 'check', { program: 'x', ranks: [1000] })).toMatchObject({ isError: true });
  });
});
