import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createServer } from './create-server.ts';
import type { Limits } from './limits.ts';

/** Serves one client over the standard input and output of this process, until its input ends. */
export async function serveStdio(limits: Partial<Limits> = {}): Promise<void> {
  await createServer(limits).connect(new StdioServerTransport());
}
