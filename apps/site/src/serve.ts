import { readFile, stat } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { gzipSync } from 'node:zlib';
import { dist } from './folders.ts';
import { pagePolicy, workerPolicy } from './policies.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Serves the finished site to this machine alone, with the policies. `port` 0: any free one. */
export async function serve(port: number): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    void respond(request.url ?? '/', response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('The server has no port.');
  return {
    url: `http://127.0.0.1:${address.port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

async function respond(url: string, response: ServerResponse): Promise<void> {
  try {
    const { status, type, body, policy } = await answer(url);
    const headers = {
      'content-type': type,
      'content-security-policy': policy,
      'content-encoding': 'gzip',
      'x-content-type-options': 'nosniff',
    };
    response.writeHead(status, headers).end(gzipSync(body));
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
}

async function answer(url: string): Promise<{ status: number; type: string; body: Buffer; policy: string }> {
  const path = normalize(decodeURIComponent(new URL(url, 'http://localhost').pathname));
  const policy = path === '/assets/worker.js' ? workerPolicy : pagePolicy;
  const file = join(dist, path.endsWith('/') ? `${path}index.html` : path);
  const isFile =
    file.startsWith(dist) &&
    (await stat(file).then(
      (found) => found.isFile(),
      () => false,
    ));
  if (!isFile) return { status: 404, type: 'text/plain', body: Buffer.from('There is no such page.\n'), policy };
  return { status: 200, type: types[extname(file)] ?? 'application/octet-stream', body: await readFile(file), policy };
}
