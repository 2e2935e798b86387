import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { createServer, type Limits } from '@nccl-ts/mcp';
import * as z from 'zod';

/** Builds this package and the command, which calls start. */
export function build(): void {
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(typescript, 'bin/tsc'), '-b', join(import.meta.dirname, '..')],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(stdout);
}

/** Connects a client to a server in this process. */
export async function connected(limits: Partial<Limits> = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '0.0.0' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([createServer(limits).connect(theirs), client.connect(ours)]);
  return client;
}

const called = z.object({
  content: z.tuple([z.object({ text: z.string() })]),
  structuredContent: z.optional(z.object({ exitCode: z.unknown() })),
  isError: z.boolean().default(false),
});

/** The result of a tool. */
export interface Called {
  readonly text: string;
  readonly isError: boolean;
  readonly exitCode: unknown;
}

/** Calls a tool. */
export async function call(client: Client, name: string, args: Readonly<Record<string, unknown>>): Promise<Called> {
  const result: unknown = await client.callTool({ name, arguments: args }, undefined, { timeout: 240_000 });
  const { content, structuredContent, isError } = called.parse(result);
  return { text: content[0].text, isError, exitCode: structuredContent?.exitCode };
}

/** A kernel in which each rank writes to the next, with or without a barrier before the load. */
export function shift(barrier: string): string {
  return `import { devCommParam, kernel, lsa, u32, windowParam, type Communicator } from 'nccl-ts';

export const shift = kernel(
  { name: 'shift', use: { lsa }, params: { comm: devCommParam, win: windowParam, count: u32 } },
  ({ lsa, coopCta, threadIdx, blockDim, u32 }, { comm, win, count }) => {
    const next = lsa.pointer(win, u32, 0, (comm.lsaRank + 1) % comm.lsaSize);
    for (let i = threadIdx.x; i < count; i += blockDim.x) next.store(i, comm.rank);
    ${barrier}
    const mine = lsa.localPointer(win, u32, 0);
    for (let i = threadIdx.x; i < count; i += blockDim.x) mine.store(count + i, mine.load(i));
  },
);

export async function host(comm: Communicator): Promise<number | undefined> {
  const win = await comm.allocWindow(u32, 64);
  const devComm = await comm.createDevComm({ lsaBarrierCount: 1 });
  await comm.launch(shift, { grid: 1, block: 32 }, { comm: devComm, win, count: 32 });
  return (await win.read())[32];
}
`;
}

/** The barrier that the kernel needs. */
export const barrier = "lsa.barrierSession(coopCta(), comm, 0).sync(coopCta(), 'acq_rel');";

/** A folder for the temporary files of a server, in which other programs write nothing. */
export class TemporaryFolder {
  readonly #path = mkdtempSync(join(tmpdir(), 'nccl-ts-mcp-test-'));

  /** The variables of a server that uses it. */
  get environment(): Record<string, string> {
    return { PATH: process.env['PATH'] ?? '', TMPDIR: this.#path };
  }

  entries(): readonly string[] {
    return readdirSync(this.#path);
  }

  remove(): void {
    rmSync(this.#path, { recursive: true, force: true });
  }
}
