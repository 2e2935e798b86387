import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { misused, toolResult, type CommandCalls } from '../command-call.ts';
import type { Limits } from '../limits.ts';
import { programFields, programFiles } from '../program-text.ts';

/** Adds the tool that shows the code to which a kernel compiles. */
export function addEmit(server: McpServer, calls: CommandCalls, { textBytes }: Limits): void {
  server.registerTool(
    'emit',
    {
      title: 'Show the code of a kernel',
      description: 'Returns the code that a kernel compiles to.',
      inputSchema: {
        ...programFields,
        target: z
          .enum(['ir', 'js', 'wgsl', 'cuda'])
          .optional()
          .describe('ir: the typed IR (the default); js: for the simulator; wgsl: for WebGPU; cuda: CUDA C++.'),
      },
    },
    async ({ target = 'ir', ...given }, { signal }) => {
      try {
        const { files, words } = programFiles(given, textBytes);
        return toolResult(await calls.run(['emit', ...words, '--target', target], files, signal));
      } catch (error) {
        return misused(error);
      }
    },
  );
}
