import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { UsageError } from './usage-error.ts';

/** The package of the server, which brings a client's protocol that other commands do not need. */
const SERVER = '@nccl-ts/mcp';

const notes = `
It serves one client on standard input and output, with the tools check, explain,
emit and predict on texts. Coding agents start it by this command line:
  npx nccl-ts mcp`;

/** `nccl-ts mcp`: starts the MCP server, if its package is installed. */
export function mcpCommand(onDone: (exitCode: number) => void): Command {
  return new Command('mcp')
    .description(`serve coding agents over the Model Context Protocol; needs the package ${SERVER}`)
    .addHelpText('after', notes)
    .action(async () => {
      const server = installedServer();
      if (server === undefined) {
        throw new UsageError(`nccl-ts mcp needs the package ${SERVER}; run npm install ${SERVER}`);
      }
      const child = spawn(process.execPath, [server], { stdio: 'inherit' });
      onDone(
        await new Promise((resolve, reject) => {
          child.once('error', reject);
          child.once('close', (code) => resolve(code ?? 1));
        }),
      );
    });
}

/** Finds the server's program from the current folder, or else beside this command. */
function installedServer(): string | undefined {
  for (const from of [join(process.cwd(), 'package.json'), import.meta.url]) {
    try {
      return join(dirname(createRequire(from).resolve(`${SERVER}/package.json`)), 'bin/nccl-ts-mcp.js');
    } catch (error) {
      const isMissing = error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND';
      if (!isMissing) throw error;
    }
  }
  return undefined;
}
