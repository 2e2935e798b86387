import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { textAt } from '@nccl-ts/fences';
import { runOrThrow } from './command.ts';

const SECONDS = 60;

/**
 * A registry that only this machine can reach. It serves the packages that are published to it, and
 * forwards all other requests to the machine's registry.
 */
export class Registry implements AsyncDisposable {
  readonly url: string;
  readonly #server: ChildProcess;

  private constructor(url: string, server: ChildProcess) {
    this.url = url;
    this.#server = server;
  }

  /** Starts a registry with all its files in `folder`. */
  static async start(folder: string): Promise<Registry> {
    mkdirSync(folder, { recursive: true });
    const uplink = (await runOrThrow('npm', ['config', 'get', 'registry'], { cwd: folder })).trim();
    const port = await freePort();
    const config = join(folder, 'config.yaml');
    const own = '    access: $all\n    publish: $all\n';
    writeFileSync(
      config,
      `storage: ${JSON.stringify(join(folder, 'storage'))}
web: { enable: false }
uplinks:
  machine: { url: ${JSON.stringify(uplink)}, timeout: 60s, maxage: 60m, max_fails: 100, fail_timeout: 1s }
packages:
  '@nccl-ts/*':
${own}  'nccl-ts':
${own}  'create-nccl-ts':
${own}  '**':
    access: $all
    proxy: machine
middlewares: { audit: { enabled: false } }
log: { type: stdout, level: warn }
`,
    );
    const manifest = fileURLToPath(import.meta.resolve('verdaccio/package.json'));
    const bin = join(dirname(manifest), textAt(JSON.parse(readFileSync(manifest, 'utf8')), 'bin') ?? 'bin/verdaccio');
    const server = spawn(process.execPath, [bin, '--config', config, '--listen', `127.0.0.1:${port}`], {
      cwd: folder,
      stdio: 'ignore',
    });
    const url = `http://127.0.0.1:${port}/`;
    const registry = new Registry(url, server);
    await registry.#ready();
    return registry;
  }

  /**
   * The lines for the .npmrc of a folder whose packages come from here. Publishing needs a token,
   * which may be any text.
   */
  npmrc(cache: string): string {
    const host = this.url.slice('http:'.length);
    return `registry=${this.url}\n${host}:_authToken=nobody\ncache=${cache}\naudit=false\nfund=false\nupdate-notifier=false\n`;
  }

  async #ready(): Promise<void> {
    for (let tries = 0; tries < 10 * SECONDS; tries++) {
      if (this.#server.exitCode !== null) break;
      const answer = await fetch(`${this.url}-/ping`).catch(() => undefined);
      if (answer?.ok === true) return;
      await delay(100);
    }
    throw new Error('cannot start the registry because verdaccio does not answer; run it by hand to see why');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.exitCode !== null) return;
    const ended = once(this.#server, 'exit');
    this.#server.kill();
    await ended;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('The system gave no port.');
  return address.port;
}
