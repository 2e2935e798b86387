import { createServer, type Server } from 'node:http';
import { build, type BuildOptions } from 'esbuild';

/**
 * Bundles a script for browsers. The build fails if the script imports a built-in module of Node.
 */
export async function bundle(entry: Pick<BuildOptions, 'entryPoints' | 'stdin'>): Promise<string> {
  const { outputFiles } = await build({
    ...entry,
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    conditions: process.env['TEST_BUILT'] === '1' ? [] : ['@nccl-ts/source'],
    logLevel: 'silent',
  });
  return outputFiles.map(({ text }) => text).join('');
}

/** Serves an empty page and the script `/page.js` only to this machine. */
export async function serve(script: string): Promise<Server> {
  const server = createServer(({ url }, response) => {
    const [type, body] =
      url === '/page.js' ? ['text/javascript', script] : ['text/html', '<!doctype html><title>test</title>'];
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return server;
}

export function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return `http://127.0.0.1:${address.port}/`;
}
