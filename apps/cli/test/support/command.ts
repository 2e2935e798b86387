import { fork, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const app = join(dirname(fileURLToPath(import.meta.url)), '../..');
const root = join(app, '../..');

/** The folder of the user's modules in these tests, in which the command starts. */
export const fixtures: string = join(app, 'test/fixtures');

/** The result of a command. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Builds the command line and all that it imports; next to nothing where that has been done. The
 * next command line of `served` gets a new process. Another test file's process may have started in
 * a folder that has been removed since, and then its TypeScript compiler may fail to start.
 */
export function build(): void {
  stopServing();
  const manifest = createRequire(import.meta.url).resolve('typescript/package.json');
  const { status, stdout } = spawnSync(process.execPath, [join(dirname(manifest), 'bin/tsc'), '-b', app], {
    encoding: 'utf8',
  });
  if (status !== 0) console.error(stdout);
  if (!existsSync(join(app, 'dist/main.js'))) throw new Error('the command line could not be built');
}

/**
 * Runs the built `nccl-ts` as a user's shell would, in a process of its own. Paths of this checkout
 * are `<root>` in its output, and progress is left out.
 */
export async function ncclTs(
  args: readonly string[],
  cwd: string = fixtures,
  variables: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const child = spawn(process.execPath, [join(app, 'bin/nccl-ts.js'), ...args], {
    cwd,
    env: { ...softwareGpu(), ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, code] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    }),
  ]);
  return shown({ code, stdout, stderr });
}

/**
 * Runs the built `nccl-ts` in one process for all of a test file, one command line after the other.
 * The file must call `build` first. Its output and exit code are the same as those of `ncclTs`. No
 * module is loaded twice, even if it has changed, unless the test calls `stopServing`. Tests of the
 * process itself use `ncclTs`.
 */
export async function served(
  args: readonly string[],
  cwd: string = fixtures,
  variables: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  server ??= new CommandServer();
  return server.run({ args, cwd, variables });
}

/** Ends the process of `served`; the next command line gets a new one. */
export function stopServing(): void {
  server?.stop();
  server = undefined;
}

class CommandServer {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (outcome: Outcome) => void>();
  #requests = 0;

  constructor() {
    this.#child = fork(join(app, 'test/support/serve-commands.mjs'), {
      env: { ...softwareGpu(), ...process.env },
      // Those of the test runner take packages from their sources.
      execArgv: [],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child.on('message', (message) => {
      if (!isAnswer(message)) return;
      this.#waiting.get(message.id)?.(shown(message));
      this.#waiting.delete(message.id);
    });
    this.#child.once('exit', (code) => {
      for (const settle of this.#waiting.values()) settle({ code, stdout: '', stderr: 'the process has ended' });
      this.#waiting.clear();
    });
  }

  async run(request: {
    readonly args: readonly string[];
    readonly cwd: string;
    readonly variables: Readonly<Record<string, string>>;
  }): Promise<Outcome> {
    const id = this.#requests++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, resolve);
      this.#child.send({ id, ...request }, (error) => {
        if (error !== null) reject(error);
      });
    });
  }

  stop(): void {
    this.#child.kill();
  }
}

let server: CommandServer | undefined;

interface Answer extends Outcome {
  readonly id: number;
}

function isAnswer(message: unknown): message is Answer {
  return typeof message === 'object' && message !== null && 'id' in message && 'stdout' in message;
}

function shown({ code, stdout, stderr }: Outcome): Outcome {
  return {
    code,
    stdout: stdout.replaceAll(root, '<root>'),
    stderr: withoutProgress(stderr).replaceAll(root, '<root>'),
  };
}

/** Leaves out the lines that a command prints while it works. A slow machine has more of them. */
export function withoutProgress(stderr: string): string {
  return stderr.replaceAll(/^.* \.\.\. \d+ s\n/gm, '');
}

/**
 * Chromium's driver for the CPU, where Debian's package puts it. Without the second variable,
 * drivers complain.
 */
function softwareGpu(): Readonly<Record<string, string>> {
  const driver = '/usr/lib/chromium/vk_swiftshader_icd.json';
  return { XDG_RUNTIME_DIR: tmpdir(), ...(existsSync(driver) ? { VK_ICD_FILENAMES: driver } : {}) };
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}
