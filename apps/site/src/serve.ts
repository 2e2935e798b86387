import { readFile, stat } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { gzipSync } from 'node:zlib';
import { setTimeout as delay } from 'node:timers/promises';
import { dist } from './folders.ts';
import { headersOf } from './policies.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The simulated connection between the server and the browser, which all responses share. */
export interface SimulatedConnection {
  /** The time from a request to the first byte of its response, in ms. */
  readonly latency: number;
  /** The bandwidth of all responses together, in bytes per second. */
  readonly throughput: number;
}

export interface ServeOptions {
  readonly folder?: string;
  /** Without a line, the server does not delay responses. */
  readonly line?: SimulatedConnection;
}

/**
 * Serves the built site on localhost only, with the policies. With `port` 0, it uses any free port.
 */
export async function serve(
  port: number,
  { folder = dist, line }: ServeOptions = {},
): Promise<AsyncDisposable & { readonly url: string }> {
  const packed = new Map<string, PreparedResponse>();
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

/** The size of a piece in bytes. Concurrent responses send their pieces in turn. */
const PIECE = 4096;

/**
 * Delays responses. Chromium's network throttling delays only the requests of the page, not those
 * of its workers, so the server delays both.
 */
function slowly({ latency, throughput }: SimulatedConnection): Send {
  const started = performance.now();
  let sent = 0;
  const waiting: (() => void)[] = [];
  let isBusy = false;
  const drain = async (): Promise<void> => {
    isBusy = true;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      // An idle line does not accumulate bandwidth.
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
  packed: Map<string, PreparedResponse>,
  response: ServerResponse,
  send: Send,
): Promise<void> {
  try {
    const path = normalize(decodeURIComponent(new URL(url, 'http://localhost').pathname));
    const { status, type, body } = await answer(path, folder, packed);
    // Static hosts read the same file.
    const headers = headersOf(await readFile(join(folder, '_headers'), 'utf8'), path);
    response.writeHead(status, { ...headers, 'content-type': type, 'content-encoding': 'gzip' });
    await send(response, body);
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
}

interface PreparedResponse {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
  /** The time at which the file was written. */
  readonly written: number;
}

async function answer(path: string, folder: string, packed: Map<string, PreparedResponse>): Promise<PreparedResponse> {
  const file = join(folder, path.endsWith('/') ? `${path}index.html` : path);
  const found = file.startsWith(folder) ? await stat(file).catch(() => undefined) : undefined;
  if (found?.isFile() !== true) {
    const body = gzipSync(await readFile(join(folder, '404.html')));
    return { status: 404, type: 'text/html; charset=utf-8', body, written: 0 };
  }
  // Static hosts also compress each file once.
  const known = packed.get(path);
  if (known?.written === found.mtimeMs) return known;
  const type = types[extname(file)] ?? 'application/octet-stream';
  const made = { status: 200, type, body: gzipSync(await readFile(file)), written: found.mtimeMs };
  packed.set(path, made);
  return made;
}
