import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { misused, toolResult, type CommandCalls } from '../command-call.ts';
import { plain } from '../program-text.ts';

/** Adds the tool that explains a code. */
export function addExplain(server: McpServer, calls: CommandCalls): void {
  server.registerTool(
    'explain',
    {
      title: 'Explain a code',
      description:
        'Explains a code of an error, a compile report or a finding, with an example and the fix. Without a code, it lists all of them.',
      inputSchema: {
        code: z.string().max(100).optional().describe('Such as K1005, NCCLTS_DEADLOCK, race or race/acquire.'),
      },
      annotations: { readOnlyHint: true },
    },
    async ({ code }, { signal }) => {
      try {
        const words = code === undefined ? [] : [plain('code', code)];
        return toolResult(await calls.run(['explain', ...words], {}, signal));
      } catch (error) {
        return misused(error);
      }
    },
  );
}
