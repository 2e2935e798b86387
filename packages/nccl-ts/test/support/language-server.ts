import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** TypeScript's language server, as an editor talks to it. */
export class LanguageServer implements Disposable {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #received: Buffer = Buffer.alloc(0);
  #requests = 0;

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    child.stdout.on('data', (part: Buffer) => this.#receive(part));
  }

  static async start(root: string): Promise<LanguageServer> {
    const manifest = createRequire(import.meta.url).resolve('typescript/package.json');
    const server = new LanguageServer(
      spawn(process.execPath, [join(dirname(manifest), 'bin/tsc'), '--lsp', '--stdio'], { stdio: 'pipe' }),
    );
    await server.#request('initialize', {
      processId: process.pid,
      rootUri: pathToFileURL(root).href,
      capabilities: { textDocument: { hover: { contentFormat: ['markdown'] } } },
    });
    server.#send({ method: 'initialized', params: {} });
    return server;
  }

  open(file: string): void {
    const textDocument = { uri: pathToFileURL(file).href, languageId: 'typescript', version: 1 };
    const text = readFileSync(file, 'utf8');
    this.#send({ method: 'textDocument/didOpen', params: { textDocument: { ...textDocument, text } } });
  }

  /** The hover of the first `name` in `phrase`, which is in the file once. */
  async hover(file: string, phrase: string, name: string): Promise<string> {
    const before = readFileSync(file, 'utf8').split(phrase)[0] ?? '';
    const lines = before.split('\n');
    const character = (lines.at(-1) ?? '').length + phrase.indexOf(name);
    const result = await this.#request('textDocument/hover', {
      textDocument: { uri: pathToFileURL(file).href },
      position: { line: lines.length - 1, character },
    });
    return JSON.stringify(result);
  }

  [Symbol.dispose](): void {
    this.#child.kill();
  }

  async #request(method: string, params: unknown): Promise<unknown> {
    const id = ++this.#requests;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#send({ id, method, params });
    });
  }

  #send(message: object): void {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.#child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  #receive(part: Buffer): void {
    this.#received = Buffer.concat([this.#received, part]);
    for (;;) {
      const end = this.#received.indexOf('\r\n\r\n');
      const [, length] = /Content-Length: (\d+)/.exec(this.#received.subarray(0, Math.max(end, 0)).toString()) ?? [];
      const from = end + 4;
      if (length === undefined || this.#received.length < from + Number(length)) return;
      const message: unknown = JSON.parse(this.#received.subarray(from, from + Number(length)).toString());
      this.#received = this.#received.subarray(from + Number(length));
      this.#answer(message);
    }
  }

  #answer(message: unknown): void {
    if (typeof message !== 'object' || message === null || !('id' in message)) return;
    if ('method' in message) {
      // The server asks for what a client may leave out.
      this.#send({ id: message.id, result: null });
      return;
    }
    if (typeof message.id !== 'number') return;
    this.#waiting.get(message.id)?.('result' in message ? message.result : undefined);
    this.#waiting.delete(message.id);
  }
}
