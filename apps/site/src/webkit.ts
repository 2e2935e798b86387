import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Tab } from './smaller-tests.ts';

const DRIVER = '/usr/bin/WebKitWebDriver';
const SCREEN = '/usr/bin/Xvfb';
const browsers = ['4.1', '4.0', '6.0'].map((version) => `/usr/lib/x86_64-linux-gnu/webkit2gtk-${version}/MiniBrowser`);

/**
 * Launches Debian's WebKitGTK on a virtual screen, or returns `undefined` if a part of it is
 * missing.
 */
export async function launchWebkit(): Promise<Tab | undefined> {
  const binary = browsers.find((path) => existsSync(path));
  if (binary === undefined || !existsSync(DRIVER) || !existsSync(SCREEN)) return undefined;
  const screen = spawn(SCREEN, ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const display = `:${await firstLineOf(screen)}`;
  const port = await freePort();
  const environment = { DISPLAY: display, HOME: '/nonexistent', LIBGL_ALWAYS_SOFTWARE: '1', NO_AT_BRIDGE: '1' };
  const driver = spawn(DRIVER, [`--port=${port}`], {
    stdio: 'ignore',
    env: { PATH: '/usr/bin:/bin', WEBKIT_DISABLE_COMPOSITING_MODE: '1', ...environment },
  });
  const root = `http://127.0.0.1:${port}/session`;
  const options = { 'webkitgtk:browserOptions': { binary, args: ['--automation'] } };
  const made = await send(root, { capabilities: { alwaysMatch: options } }, 100);
  const session = `${root}/${String(fieldOf(made, 'sessionId'))}`;
  await send(`${session}/timeouts`, { script: 60_000, pageLoad: 60_000 });
  return {
    goto: async (url) => {
      await send(`${session}/url`, { url });
    },
    evaluate: async (body) => {
      const script = `const done = arguments[0]; (async () => { ${body} })().then((value) => done({ value }), (error) => done({ error: String(error) }));`;
      const answer = await send(`${session}/execute/async`, { script, args: [] });
      const error = fieldOf(answer, 'error');
      if (typeof error === 'string') throw new Error(error);
      return fieldOf(answer, 'value');
    },
    [Symbol.asyncDispose]: async () => {
      await fetch(session, { method: 'DELETE' });
      driver.kill();
      screen.kill();
    },
  };
}

/** Sends a command, and retries until the driver listens. */
async function send(url: string, body: object, tries = 1): Promise<unknown> {
  for (let left = tries; ; left--) {
    try {
      const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
      const value = fieldOf(await response.json(), 'value');
      if (response.ok) return value;
      throw new Error(`WebKit rejected a command: ${JSON.stringify(value)}`);
    } catch (error) {
      if (left <= 1 || !(error instanceof TypeError)) throw error;
      await pause(100);
    }
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** Reads the screen's number, which Xvfb prints once the screen is ready. */
async function firstLineOf(screen: ChildProcess): Promise<string> {
  const pipe = screen.stdio[3];
  if (pipe === null || pipe === undefined) throw new TypeError('Xvfb has no pipe for its number.');
  return new Promise((resolve, reject) => {
    pipe.once('data', (bytes: Buffer) => resolve(bytes.toString().trim()));
    screen.once('exit', () => reject(new Error('Xvfb exited before it had a screen.')));
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  if (address === null || typeof address === 'string') throw new TypeError('The system gave no port.');
  return address.port;
}
