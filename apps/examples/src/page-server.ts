import { readFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** A page that is being served. */
export interface PageServer extends AsyncDisposable {
  readonly url: string;
}

const pageFolder = new URL('../page/', import.meta.url);

/** Allows only this server, because the page needs no other network. */
const headers = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:",
} as const;

/**
 * Serves the page of `apps/examples/page` only to this machine, until it is disposed. Each request
 * builds the script from the sources.
 *
 * @param port 0 means any free port.
 */
export async function servePage(port: number): Promise<PageServer> {
  const server = createServer(({ url }, response) => void answer(url ?? '/', response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return { url: urlOf(server), [Symbol.asyncDispose]: async () => close(server) };
}

async function answer(url: string, response: ServerResponse): Promise<void> {
  const send = (status: number, type: string, body: string): void => {
    response.writeHead(status, { ...headers, 'content-type': `${type}; charset=utf-8` }).end(body);
  };
  try {
    switch (url) {
      case '/':
        send(200, 'text/html', await readFile(new URL('index.html', pageFolder), 'utf8'));
        return;
      case '/style.css':
        send(200, 'text/css', await readFile(new URL('style.css', pageFolder), 'utf8'));
        return;
      case '/page.js':
        send(200, 'text/javascript', await bundle());
        return;
      default:
        send(404, 'text/plain', 'This page does not exist.\n');
    }
  } catch (error) {
    send(500, 'text/plain', `${error instanceof Error ? error.message : String(error)}\n`);
  }
}

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('page.ts', pageFolder))],
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    conditions: ['@nccl-ts/source'],
    logLevel: 'silent',
  });
  return outputFiles.map(({ text }) => text).join('');
}

function urlOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('The server has no port.');
  return `http://127.0.0.1:${address.port}/`;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
  });
}
