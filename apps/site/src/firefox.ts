import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Tab } from './smaller-tests.ts';

const FIREFOX = '/usr/bin/firefox-esr';

/**
 * Launches Debian's Firefox without a window, or returns `undefined` if it is not installed. It
 * uses Firefox's own protocol, Marionette, because Playwright drives only its own builds.
 */
export async function launchFirefox(): Promise<Tab | undefined> {
  if (!existsSync(FIREFOX)) return undefined;
  const profile = await mkdtemp(join(tmpdir(), 'site-firefox-'));
  await writeFile(join(profile, 'user.js'), preferences);
  const browser = spawn(FIREFOX, ['--headless', '--marionette', '--no-remote', '--profile', profile], {
    stdio: 'ignore',
  });
  const ended = new Promise<void>((resolve) => {
    browser.once('exit', () => resolve());
  });
  const session = await sessionOf(Number(await portOf(profile)));
  await session.send('WebDriver:NewSession', { capabilities: {} });
  await session.send('WebDriver:SetTimeouts', { script: 60_000, pageLoad: 60_000 });
  return {
    goto: async (url) => {
      await session.send('WebDriver:Navigate', { url });
    },
    evaluate: async (body) => {
      const script = `const done = arguments[0]; (async () => { ${body} })().then((value) => done({ value }), (error) => done({ error: String(error) }));`;
      const answer = await session.send('WebDriver:ExecuteAsyncScript', { script, args: [], sandbox: null });
      if (!isRecord(answer) || !isRecord(answer['value'])) throw new TypeError('Firefox returned no value.');
      const { value, error } = answer['value'];
      if (typeof error === 'string') throw new Error(error);
      return value;
    },
    [Symbol.asyncDispose]: async () => {
      session.end();
      browser.kill();
      await ended;
      await rm(profile, { recursive: true, force: true });
    },
  };
}

/** Any free port, and no requests to the vendor. */
const preferences = [
  ['marionette.port', '0'],
  ['datareporting.policy.dataSubmissionEnabled', 'false'],
  ['app.update.enabled', 'false'],
  ['network.captive-portal-service.enabled', 'false'],
  ['network.connectivity-service.enabled', 'false'],
  ['services.settings.server', '"http://127.0.0.1:9/"'],
  ['browser.safebrowsing.malware.enabled', 'false'],
  ['browser.safebrowsing.phishing.enabled', 'false'],
]
  .map(([name = '', value = '']) => `user_pref("${name}", ${value});\n`)
  .join('');

/** Reads the port. Firefox writes it into the profile once it listens. */
async function portOf(profile: string): Promise<string> {
  for (let tries = 0; tries < 300; tries++) {
    const port = await readFile(join(profile, 'MarionetteActivePort'), 'utf8').catch(() => '');
    if (port !== '') return port;
    await pause(100);
  }
  throw new Error('Firefox did not start to listen within 30 s.');
}

interface BrowserSession {
  send(command: string, parameters: object): Promise<unknown>;
  end(): void;
}

/**
 * Opens a session. A message is its length in bytes, a colon, and JSON:
 * `[type, id, command or error, value]`.
 */
async function sessionOf(port: number): Promise<BrowserSession> {
  const socket = connect(port, '127.0.0.1');
  const waiting = new Map<unknown, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let next = 1;
  let bytes = Buffer.alloc(0);
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.on('data', (more) => {
      bytes = Buffer.concat([bytes, Buffer.from(more)]);
      for (;;) {
        const colon = bytes.indexOf(':');
        const end = colon + 1 + Number(bytes.subarray(0, Math.max(0, colon)).toString());
        if (colon < 0 || bytes.length < end) return;
        const message: unknown = JSON.parse(bytes.subarray(colon + 1, end).toString());
        bytes = bytes.subarray(end);
        // Firefox first sends an object as a greeting.
        if (!Array.isArray(message)) resolve();
        else {
          const parts: readonly unknown[] = message;
          const [, id, error, value] = parts;
          if (isRecord(error)) waiting.get(id)?.reject(new Error(String(error['message'])));
          else waiting.get(id)?.resolve(value);
          waiting.delete(id);
        }
      }
    });
  });
  return {
    send: async (command, parameters) =>
      new Promise((resolve, reject) => {
        const id = next++;
        waiting.set(id, { resolve, reject });
        const text = JSON.stringify([0, id, command, parameters]);
        socket.write(`${Buffer.byteLength(text)}:${text}`);
      }),
    end: () => {
      socket.destroy();
    },
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
