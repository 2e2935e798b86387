import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { misused, toolResult, type CommandCalls } from '../command-call.ts';
import { launchFields, launchWords } from '../launch-words.ts';
import type { Limits } from '../limits.ts';
import { programFields, programFiles } from '../program-text.ts';

/** Seconds that a check leaves for starting the process and printing the report. */
const MARGIN = 5;

/** Clean, errors found, and a check that reached a bound. */
const answers: ReadonlySet<number> = new Set([0, 1, 3]);

/** Adds the tool that checks a program. */
export function addCheck(server: McpServer, calls: CommandCalls, { textBytes, seconds }: Limits): void {
  server.registerTool(
    'check',
    {
      title: 'Check a kernel',
      description:
        'Finds data races, missing synchronization, deadlocks, misuse and out-of-bounds accesses of a kernel that communicates between GPUs, on simulated ranks. Exit code 0: clean; 1: an error was found, or the program failed; 3: a limit was reached before the check ended.',
      inputSchema: {
        ...programFields,
        ...launchFields,
        compileOnly: z.boolean().optional().describe('Only compile the kernels of program, and run nothing.'),
        json: z.boolean().optional().describe('Return the report as JSON instead of text.'),
      },
    },
    async ({ compileOnly, json, ...given }, { signal }) => {
      try {
        const { files, words } = programFiles(given, textBytes);
        if (given.ptx !== undefined && given.launch === undefined) {
          const first = await calls.run(['ptx', ...words, '--write', 'launch.ts'], files, signal, 'launch.ts');
          return toolResult(first);
        }
        const time = ['--time', String(Math.max(1, seconds - MARGIN))];
        const how = compileOnly === true ? ['--compile-only'] : [...launchWords(given), ...time];
        const report = json === true ? ['--json'] : [];
        const result = await calls.run(['check', ...words, ...how, ...report], files, signal);
        // A program that failed prints its error on stderr, and no report.
        return toolResult(result, (code) => answers.has(code) && result.stdout.trim() !== '');
      } catch (error) {
        return misused(error);
      }
    },
  );
}
