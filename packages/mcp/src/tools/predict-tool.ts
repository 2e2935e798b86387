import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { misused, toolResult, type CommandCalls } from '../command-call.ts';
import { launchFields, launchWords } from '../launch-words.ts';
import type { Limits } from '../limits.ts';
import { plain, programFields, programFiles } from '../program-text.ts';

/** Adds the tool that predicts times. */
export function addPredict(server: McpServer, calls: CommandCalls, { textBytes }: Limits): void {
  server.registerTool(
    'predict',
    {
      title: 'Predict a time',
      description:
        'Predicts the time of a kernel or of a collective on NVIDIA GPUs, and what bounds it. Times come from a cost model, and no GPU is used.',
      inputSchema: {
        ...programFields,
        ...launchFields,
        collective: z.string().max(40).optional().describe('Instead of a program: allReduce, allGather, ...'),
        bytes: z
          .number()
          .int()
          .min(1)
          .max(16_777_216)
          .optional()
          .describe('The size of a collective; the default is 65536.'),
        machine: z.enum(['h100-nvlink4', 'h200-nvlink4']).optional().describe('The GPUs; the default is h100-nvlink4.'),
        json: z.boolean().optional().describe('Return the prediction as JSON instead of text.'),
      },
    },
    async ({ collective, bytes = 65_536, machine, json, ...given }, { signal }) => {
      const size = String(bytes);
      try {
        const { files, words } =
          collective === undefined
            ? programFiles(given, textBytes)
            : { files: {}, words: [plain('collective', collective), '--minbytes', size, '--maxbytes', size] };
        const on = machine === undefined ? [] : ['--machine', machine];
        const report = json === true ? ['--json'] : [];
        return toolResult(
          await calls.run(['predict', ...words, ...launchWords(given), ...on, ...report], files, signal),
        );
      } catch (error) {
        return misused(error);
      }
    },
  );
}
