import { readFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CommandCalls } from './command-call.ts';
import { defaultLimits, type Limits } from './limits.ts';
import { addCheck } from './tools/check-tool.ts';
import { addEmit } from './tools/emit-tool.ts';
import { addExplain } from './tools/explain-tool.ts';
import { addPredict } from './tools/predict-tool.ts';

const instructions = `
nccl-ts checks GPU kernels that communicate, without a GPU. Give texts, not files.
After each change of a kernel, call check. If it reports a code, such as K1005,
NCCLTS_DEADLOCK or race/acquire, call explain. Mend a race by an order between
the two accesses: a barrier, or a flag that is released and acquired.
Do not change the test instead. emit shows the code for CUDA or WebGPU, and
predict the time on GPUs.`.trim();

/**
 * Creates an MCP server with the tools `check`, `explain`, `emit` and `predict`, which is not
 * connected yet. Each call runs `nccl-ts` in a process of its own, within the limits. That process
 * runs the given program with the rights of the user, so connect the server only to agents that may
 * run programs.
 */
export function createServer(limits: Partial<Limits> = {}): McpServer {
  const server = new McpServer({ name: 'nccl-ts', version: ownVersion() }, { instructions });
  const all: Limits = { ...defaultLimits, ...limits };
  const calls = new CommandCalls(all);
  addCheck(server, calls, all);
  addExplain(server, calls);
  addEmit(server, calls, all);
  addPredict(server, calls, all);
  return server;
}

function ownVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const known = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return known ? String(manifest.version) : 'unknown';
}
