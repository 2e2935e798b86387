import { readFile, stat } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { gzipSync } from 'node:zlib';
import { setTimeout as delay } from 'node:timers/promises';
import { dist } from './folders.ts';
import { forever, isForever, pagePolicy, workerPolicy } from './policies.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** A line between the server and the browser that all answers share. */
export interface Line {
  /** Between a request and the first byte of its answer, in ms. */
  readonly latency: number;
  /** Of all answers together, in bytes each second. */
  readonly throughput: number;
}

export interface ServeOptions {
  readonly folder?: string;
  /** Without one, answers go out at once. */
  readonly line?: Line;
}

/** Serves the finished site to this machine alone, with the policies. `port` 0: any free one. */
export async function serve(
  port: number,
  { folder = dist, line }: ServeOptions = {},
): Promise<AsyncDisposable & { readonly url: string }> {
  const packed = new Map<string, Answer>();
  const send = line === undefined ? atOnce : slowly(line);
  const server = createServer((request, response) => {
    void respond(request.url ?? '/', folder, packed, response, send);
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

type Send = (response: ServerResponse, body: Buffer) => Promise<void>;

const atOnce: Send = async (response, body) => {
  response.end(body);
};

/** Bytes of one piece: two answers under way get their pieces in turn. */
const PIECE = 4096;

/**
 * Chromium's own slow networks hold up the requests of the page and not those of its workers, so
 * the server is slow for both.
 */
function slowly({ latency, throughput }: Line): Send {
  const started = performance.now();
  let sent = 0;
  const waiting: (() => void)[] = [];
  let isBusy = false;
  const drain = async (): Promise<void> => {
    isBusy = true;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      // An idle line saves nothing up.
      sent = Math.max(sent, ((performance.now() - started) / 1000) * throughput) + PIECE;
      const due = started + (sent / throughput) * 1000;
      if (due > performance.now() + 1) await delay(due - performance.now());
      next();
    }
    isBusy = false;
  };
  return async (response, body) => {
    await delay(latency);
    for (let at = 0; at < body.length; at += PIECE) {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (!isBusy) void drain();
      });
      response.write(body.subarray(at, at + PIECE));
    }
    response.end();
  };
}

async function respond(
  url: string,
  folder: string,
  packed: Map<string, Answer>,
  response: ServerResponse,
  send: Send,
): Promise<void> {
  try {
    const path = normalize(decodeURIComponent(new URL(url, 'http://localhost').pathname));
    const { status, type, body, policy } = await answer(path, folder, packed);
    response.writeHead(status, {
      'content-type': type,
      'content-security-policy': policy,
      'content-encoding': 'gzip',
      'x-content-type-options': 'nosniff',
      ...(isForever(path) ? { 'cache-control': forever } : {}),
    });
    await send(response, body);
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
  readonly policy: string;
  /** When the file was written. */
  readonly written: number | undefined;
}

async function answer(path: string, folder: string, packed: Map<string, Answer>): Promise<Answer> {
  const policy = path === '/assets/worker.js' ? workerPolicy : pagePolicy;
  const file = join(folder, path.endsWith('/') ? `${path}index.html` : path);
  const found = file.startsWith(folder) ? await stat(file).catch(() => undefined) : undefined;
  const written = found?.isFile() === true ? found.mtimeMs : undefined;
  if (written === undefined) {
    return { status: 404, type: 'text/plain', body: gzipSync('There is no such page.\n'), policy, written };
  }
  // A host of static files compresses each file once.
  const known = packed.get(path);
  if (known?.written === written) return known;
  const type = types[extname(file)] ?? 'application/octet-stream';
  const made = { status: 200, type, body: gzipSync(await readFile(file)), policy, written };
  packed.set(path, made);
  return made;
}
